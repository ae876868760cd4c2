import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.ProtectionDomain;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * A Java agent that makes the handlers of a Hadoop daemon use more CPU time: after each call a handler goes on for a
 * share of what the call took of its thread's CPU time.
 *
 * <p>Use: {@code -javaagent:slow.jar=0.1 --add-exports java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED}.
 */
public final class SlowHandlers implements ClassFileTransformer {
  private static final String CALL = "org/apache/hadoop/ipc/Server$RpcCall";
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final ThreadLocal<long[]> BEGUN = ThreadLocal.withInitial(() -> new long[1]);
  private static double share;

  /** Starts with a share as its argument, such as 0.1. */
  public static void premain(String argument, Instrumentation instrumentation) {
    share = Double.parseDouble(argument);
    instrumentation.addTransformer(new SlowHandlers());
  }

  /** A handler has taken a call. */
  public static void begin() {
    BEGUN.get()[0] = THREADS.getCurrentThreadCpuTime();
  }

  /** It has made its answer. */
  public static void end() {
    long now = THREADS.getCurrentThreadCpuTime();
    long until = now + (long) (share * (now - BEGUN.get()[0]));
    while (THREADS.getCurrentThreadCpuTime() < until) {
      Thread.onSpinWait();
    }
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
    public void visitCode() {
      super.visitCode();
      call("begin");
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.ARETURN) {
        call("end");
      }
      super.visitInsn(opcode);
    }

    private void call(String method) {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, "SlowHandlers", method, "()V", false);
    }
  }
}
