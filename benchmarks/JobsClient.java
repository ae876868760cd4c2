// Runs MapReduce jobs side by side in one process: a line for each comes in, and one goes out when it has ended.
//
// In: id, class and arguments, by tabs. Out: id, exit code and what went wrong, by tabs. A client of its own for each job
// would take as much processor time as a small job's tasks.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

public class JobsClient {
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // jobs print
    ExecutorService pool = Executors.newCachedThreadPool();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split("\t");
      pool.submit(() -> run(out, words));
    }
    System.exit(0);
  }

  private static void run(PrintStream out, String[] words) {
    int code = 70;
    String why = "";
    try {
      Tool tool = (Tool) Class.forName(words[1]).getDeclaredConstructor().newInstance();
      code = ToolRunner.run(new Configuration(), tool, Arrays.copyOfRange(words, 2, words.length));
    } catch (Throwable error) {
      why = error.toString().replaceAll("\\s+", " ");
    }
    synchronized (out) {
      out.println(words[0] + "\t" + code + "\t" + why);
      out.flush();
    }
  }
}
