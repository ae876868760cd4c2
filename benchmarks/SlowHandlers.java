import com.sun.management.OperatingSystemMXBean;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.LongAdder;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * A Java agent that makes a Hadoop daemon use more CPU time for a call: after each call its handler goes on for a share
 * of the CPU time that the whole process uses for a call, as measured over the last second.
 *
 * <p>Use: {@code -javaagent:slow.jar=0.1 --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED}.
 */
public final class SlowHandlers implements ClassFileTransformer {
  private static final String CALL = "org/apache/hadoop/ipc/Server$RpcCall";
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final LongAdder CALLS = new LongAdder();
  private static final LongAdder ADDED_NS = new LongAdder();
  private static volatile long moreNs;

  /** Starts with a share as its argument, such as 0.1. */
  public static void premain(String argument, Instrumentation instrumentation) {
    double share = Double.parseDouble(argument);
    instrumentation.addTransformer(new SlowHandlers());
    Thread measuring = new Thread(() -> measure(share), "slow-handlers");
    measuring.setDaemon(true);
    measuring.start();
  }

  private static void measure(double share) {
    long used = 0;
    long calls = 0;
    try {
      while (true) {
        Thread.sleep(1000);
        long usedNow = PROCESS.getProcessCpuTime() - ADDED_NS.sum();
        long callsNow = CALLS.sum();
        if (callsNow - calls > 100) {
          moreNs = (long) (share * (usedNow - used) / (callsNow - calls));
        }
        used = usedNow;
        calls = callsNow;
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  /** A handler has made its answer. */
  public static void end() {
    CALLS.increment();
    long now = THREADS.getCurrentThreadCpuTime();
    long until = now + moreNs;
    while (THREADS.getCurrentThreadCpuTime() < until) {
      Thread.onSpinWait();
    }
    ADDED_NS.add(THREADS.getCurrentThreadCpuTime() - now);
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
    if (!CALL.equals(name)) {
      return null;
    }
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM8, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String method, String descriptor, String signature, String[] thrown) {
            MethodVisitor inner = super.visitMethod(access, method, descriptor, signature, thrown);
            boolean runs = method.equals("run") && descriptor.equals("()Ljava/lang/Void;");
            return runs ? new Around(inner) : inner;
          }
        },
        0);
    return writer.toByteArray();
  }

  private static final class Around extends MethodVisitor {
    Around(MethodVisitor inner) {
      super(Opcodes.ASM8, inner);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.ARETURN) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, "SlowHandlers", "end", "()V", false);
      }
      super.visitInsn(opcode);
    }
  }
}
