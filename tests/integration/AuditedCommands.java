import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CacheFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Makes every call that a NameNode audits, and that a client can make, by Hadoop's own client: as users and on names that
 * are odd, yet allowed. The one argument is the NameNode's URI; it runs as a superuser of the NameNode.
 */
public final class AuditedCommands {
  private static final List<String> NAMES = List.of(
      "a blank", " two  blanks ", "back\\slash", "back\\tslash", "quo\"te'", "ta\tb", "new\nline", "com,ma", "com, ma", "k=v",
      "\uD83D\uDCA1", "\u200Frtl", "u\u0308", "\u007F", "null", "[a, b]", "{a, b}", "~", "%25", "#011x", "a dst=b");
  private static final String FILE = "f\\i le";
  private static final String POOL = "pool {a}, b";
  private static Configuration conf;
  private static String namenode;

  interface Action {
    void run(DistributedFileSystem dfs) throws Exception;
  }

  private static void as(UserGroupInformation user, String context, Action action) throws Exception {
    user.doAs((PrivilegedExceptionAction<Void>) () -> {
      CallerContext.setCurrent(context == null ? null : new CallerContext.Builder(context).build());
      try (FileSystem fs = FileSystem.newInstance(conf)) {
        action.run((DistributedFileSystem) fs);
      }
      return null;
    });
  }

  private static void run(Tool tool, String... words) throws Exception {
    if (ToolRunner.run(conf, tool, words) != 0) {
      throw new IOException(String.join(" ", words) + " failed");
    }
  }

  private static void names(DistributedFileSystem dfs, Path home) throws Exception {
    for (String name : NAMES) {
      Path folder = new Path(home, "d-" + name + "-");
      Path file = new Path(folder, "f" + name + "f");
      Path other = new Path(folder, "g" + name + "g");
      dfs.mkdirs(folder, new FsPermission((short) 01770));
      dfs.create(file).close();
      dfs.open(file).close();
      dfs.getFileStatus(file);
      dfs.listStatus(folder);
      dfs.rename(file, other);
      dfs.create(file).close();
      dfs.rename(other, file, Rename.OVERWRITE);
      dfs.setPermission(file, new FsPermission((short) 0640));
      dfs.getContentSummary(folder);
      dfs.delete(file, false);
    }
  }

  private static void write(DistributedFileSystem dfs, Path file) throws IOException {
    try (FSDataOutputStream out = dfs.create(file, (short) 1)) {
      out.write(new byte[1000]);
    }
  }

  private static void reads(DistributedFileSystem dfs, Path folder) throws Exception {
    Path file = new Path(folder, FILE);
    write(dfs, file);
    dfs.open(file).close();
    dfs.getFileStatus(file);
    dfs.listStatus(folder);
    dfs.getContentSummary(folder);
    dfs.getQuotaUsage(folder);
    dfs.isFileClosed(file);
    dfs.access(file, FsAction.READ);
    dfs.setXAttr(file, "user.a b", new byte[] {1});
    dfs.getAclStatus(file);
    dfs.getXAttrs(file);
    dfs.listXAttrs(file);
    dfs.getErasureCodingPolicy(folder);
    dfs.getEZForPath(folder);
  }

  private static void changes(DistributedFileSystem dfs, Path folder) throws Exception {
    Path file = new Path(folder, FILE);
    dfs.append(file).close();
    dfs.truncate(file, 0);
    Path[] parts = {new Path(folder, "part 1, a"), new Path(folder, "part\\2")};
    write(dfs, parts[0]);
    write(dfs, parts[1]);
    Path all = new Path(folder, "all]");
    write(dfs, all);
    dfs.concat(all, parts);
    dfs.setPermission(file, new FsPermission((short) 0600));
    dfs.setTimes(file, 1000, 2000);
    dfs.setReplication(file, (short) 2);
    dfs.setStoragePolicy(folder, "COLD");
    dfs.unsetStoragePolicy(folder);
    dfs.satisfyStoragePolicy(file);
    List<AclEntry> acl = AclEntry.parseAclSpec("user:odd:rwx,default:user:odd:r-x", true);
    dfs.modifyAclEntries(folder, acl);
    dfs.removeAclEntries(folder, AclEntry.parseAclSpec("user:odd", false));
    dfs.removeDefaultAcl(folder);
    dfs.removeAcl(folder);
    dfs.setAcl(folder, AclEntry.parseAclSpec("user::rwx,group::r-x,other::---,user:odd:rwx", true));
    dfs.removeXAttr(file, "user.a b");
  }

  private static void administers(DistributedFileSystem dfs, Path folder) throws Exception {
    Path file = new Path(folder, FILE);
    dfs.setOwner(file, "CORP\\tom", "domain users");
    dfs.setQuota(folder, 1000, HdfsConstants.QUOTA_DONT_SET);
    dfs.setQuota(folder, HdfsConstants.QUOTA_DONT_SET, 1L << 40);
    dfs.setQuota(folder, HdfsConstants.QUOTA_RESET, HdfsConstants.QUOTA_DONT_SET);
    dfs.setQuota(folder, HdfsConstants.QUOTA_DONT_SET, HdfsConstants.QUOTA_RESET);
    dfs.allowSnapshot(folder);
    dfs.createSnapshot(folder, "s 1");
    dfs.createSnapshot(folder, "s\\2");
    dfs.getSnapshottableDirListing();
    dfs.getSnapshotListing(folder);
    dfs.getSnapshotDiffReport(folder, "s 1", "s\\2");
    dfs.getSnapshotDiffReport(folder, "s 1", "");
    dfs.renameSnapshot(folder, "s\\2", "s,3");
    dfs.deleteSnapshot(folder, "s 1");
    dfs.deleteSnapshot(folder, "s,3");
    dfs.disallowSnapshot(folder);
    Path striped = new Path(folder, "striped \u00e9");
    dfs.mkdirs(striped);
    dfs.setErasureCodingPolicy(striped, null);
    dfs.unsetErasureCodingPolicy(striped);
    dfs.listEncryptionZones().hasNext();
    dfs.listReencryptionStatus().hasNext();
    dfs.addCachePool(new CachePoolInfo(POOL));
    dfs.modifyCachePool(new CachePoolInfo(POOL).setLimit(1000L));
    CacheDirectiveInfo directive =
        new CacheDirectiveInfo.Builder().setPath(folder).setPool(POOL).setReplication((short) 1).build();
    long id = dfs.addCacheDirective(directive, EnumSet.of(CacheFlag.FORCE));
    dfs.modifyCacheDirective(
        new CacheDirectiveInfo.Builder(directive).setId(id).setReplication((short) 2).build(),
        EnumSet.of(CacheFlag.FORCE));
    dfs.listCacheDirectives(null).hasNext();
    dfs.listCachePools().hasNext();
    dfs.removeCacheDirective(id);
    dfs.removeCachePool(POOL);
    dfs.getAllErasureCodingPolicies();
    dfs.getAllErasureCodingCodecs();
    dfs.getECTopologyResultForPolicies("RS-6-3-1024k");
    dfs.addErasureCodingPolicies(
        new ErasureCodingPolicy[] {new ErasureCodingPolicy(new ECSchema("rs", 4, 2), 64 << 10)});
    dfs.enableErasureCodingPolicy("RS-4-2-64k");
    dfs.disableErasureCodingPolicy("RS-4-2-64k");
    dfs.removeErasureCodingPolicy("RS-4-2-64k");
    dfs.metaSave("odd-metasave");
    dfs.rollEdits();
    dfs.refreshNodes();
    dfs.finalizeUpgrade();
    dfs.setSafeMode(SafeModeAction.ENTER);
    dfs.rollingUpgrade(HdfsConstants.RollingUpgradeAction.PREPARE);
    dfs.setSafeMode(SafeModeAction.LEAVE);
    dfs.rollingUpgrade(HdfsConstants.RollingUpgradeAction.QUERY); // audited while an upgrade is under way
    dfs.rollingUpgrade(HdfsConstants.RollingUpgradeAction.FINALIZE);
    dfs.setBalancerBandwidth(1 << 20);
    dfs.getDataNodeStats();
    dfs.getSlowDatanodeStats();
    dfs.getClient().getDatanodeStorageReport(HdfsConstants.DatanodeReportType.ALL);
    dfs.setSafeMode(SafeModeAction.GET);
    dfs.getDelegationToken("odd");
  }

  private static void tools(Path folder) throws Exception {
    String path = folder + "/by shell";
    for (String[] words : new String[][] {
      {"-listOpenFiles"}, {"-listOpenFiles", "-path", folder.toString()}, {"-report"}, {"-refreshServiceAcl"},
      {"-refreshUserToGroupsMappings"}, {"-refreshSuperUserGroupsConfiguration"}, {"-refreshCallQueue"},
      {"-reconfig", "namenode", namenode, "properties"}, {"-reconfig", "namenode", namenode, "start"},
      {"-reconfig", "namenode", namenode, "status"}, {"-restoreFailedStorage", "check"},
      {"-restoreFailedStorage", "true"}, {"-restoreFailedStorage", "false"}}) {
      run(new DFSAdmin(conf), words);
    }
    for (String[] words : new String[][] {
      {"-mkdir", "-p", path}, {"-touchz", path + "/null"}, {"-ls", "-R", path}, {"-rm", "-r", "-skipTrash", path}}) {
      run(new FsShell(conf), words);
    }
  }

  public static void main(String[] words) throws Exception {
    conf = new Configuration();
    FileSystem.setDefaultUri(conf, words[0]);
    namenode = URI.create(words[0]).getAuthority();
    UserGroupInformation admin = UserGroupInformation.getLoginUser();
    Path top = new Path("/odd");
    as(admin, "CLI", dfs -> dfs.mkdirs(top));
    as(admin, "CLI", dfs -> dfs.setPermission(top, new FsPermission((short) 01777)));
    List<String> users = List.of("CORP\\tom", "ann lee", "zo\u00eb", "tom@CORP");
    for (int number = 0; number < users.size(); number++) {
      UserGroupInformation user = UserGroupInformation.createRemoteUser(users.get(number));
      UserGroupInformation proxied = UserGroupInformation.createProxyUser(users.get(number), admin);
      String context = "a\tb\\c,clientIp:10.0.0." + number + ",clientPort:4711";
      Path folder = new Path(top, "home-" + number);
      as(user, context, dfs -> dfs.mkdirs(folder));
      as(proxied, null, dfs -> reads(dfs, folder));
      as(user, "\u00e9,clientPort:4712", dfs -> changes(dfs, folder));
    }
    as(UserGroupInformation.createRemoteUser(users.get(0)), null, dfs -> names(dfs, new Path(top, "home-0")));
    Path folder = new Path(top, "admin's \"own\", a");
    as(admin, "CLI", dfs -> reads(dfs, folder));
    as(admin, "CLI", dfs -> changes(dfs, folder));
    as(admin, "CLI", dfs -> administers(dfs, folder));
    as(admin, "CLI", dfs -> tools(folder));
  }
}
