package org.apache.hadoop.hdfs.server.blockmanagement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.TenantMap.Place;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.apache.hadoop.net.NodeBase;

/**
 * Places replicas as a map file says (see {@link TenantMap}): the first on the writer's DataNode, each further one on
 * a class that holds none of the block's yet, a tenant of it, a server of that; busy DataNodes get nothing new.
 *
 * <p>It is in Hadoop's package since {@code isGoodDatanode} and {@code Host2NodesMap} are only visible there.
 */
public class BlockPlacementPolicyWithTenants extends BlockPlacementPolicyDefault {
  /** The property that names the map file. */
  public static final String MAP_KEY = "froude.placement.map";
  private static final long LOOK_MS = 1000;

  /** A NameNode that took up this class while it ran names the file only once, and makes other instances for fsck. */
  private static volatile String named;

  private Path file;
  private volatile TenantMap map;
  private volatile Object state;
  private final AtomicLong looked = new AtomicLong();

  @Override
  public void initialize(Configuration conf, FSClusterStats stats, NetworkTopology clusterMap,
      Host2NodesMap host2datanodeMap) {
    super.initialize(conf, stats, clusterMap, host2datanodeMap);
    String name = conf.get(MAP_KEY, named);
    if (name == null) {
      throw new IllegalArgumentException(MAP_KEY + " names no file");
    }
    named = name;
    file = Paths.get(name);
    try {
      load();
    } catch (IOException error) {
      throw new IllegalArgumentException(MAP_KEY + ": cannot read " + error.getMessage(), error);
    }
  }

  private void load() throws IOException {
    Object now = stateOf(file);
    map = TenantMap.read(file);
    state = now;
    LOG.info("Read {} DataNodes from {}", map.size(), file);
  }

  private static Object stateOf(Path file) throws IOException {
    BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
    return Arrays.asList(found.fileKey(), found.lastModifiedTime(), found.size());
  }

  /** The map, read anew if its file has changed; what cannot be read is told, and the one before stays. */
  private TenantMap current() {
    long now = System.nanoTime() / 1000000;
    long before = looked.get();
    if (now - before > LOOK_MS && looked.compareAndSet(before, now)) {
      Object found = "no file";
      try {
        found = stateOf(file);
        if (!found.equals(state)) {
          load();
        }
      } catch (IOException | IllegalArgumentException error) {
        if (!found.equals(state)) {
          LOG.error("The placement map cannot be read, the one before stays: {}", error.toString());
        }
        state = found;
      }
    }
    return map;
  }

  @Override
  protected int[] getMaxNodesPerRack(int numOfChosen, int numOfReplicas) {
    int[] numbers = super.getMaxNodesPerRack(numOfChosen, numOfReplicas);
    return new int[] {numbers[0], Integer.MAX_VALUE}; // racks count where the map says so
  }

  @Override
  DatanodeStorageInfo[] chooseTarget(String src, int numOfReplicas, Node writer, Set<Node> excludedNodes,
      long blocksize, List<DatanodeDescriptor> favoredNodes, BlockStoragePolicy storagePolicy,
      EnumSet<AddBlockFlag> flags) {
    return chooseTarget(src, numOfReplicas, writer, new ArrayList<>(), false, excludedNodes, blocksize, storagePolicy,
        flags); // favoured nodes are chosen without a look at the others
  }

  @Override
  protected Node chooseTargetInOrder(int numOfReplicas, Node writer, Set<Node> excludedNodes, long blocksize,
      int maxNodesPerRack, List<DatanodeStorageInfo> results, boolean avoidStaleNodes, boolean newBlock,
      EnumMap<StorageType, Integer> storageTypes) throws NotEnoughReplicasException {
    int wanted = numOfReplicas;
    if (results.isEmpty() && writer != null && chooseLocalStorage(writer, excludedNodes, blocksize, maxNodesPerRack,
        results, avoidStaleNodes, storageTypes) != null) {
      wanted--;
    }
    chooseRandom(wanted, NodeBase.ROOT, excludedNodes, blocksize, maxNodesPerRack, results, avoidStaleNodes,
        storageTypes);
    return writer instanceof DatanodeDescriptor ? writer : results.get(0).getDatanodeDescriptor();
  }

  @Override
  protected DatanodeStorageInfo chooseRandom(int numOfReplicas, String scope, Set<Node> excludedNodes, long blocksize,
      int maxNodesPerRack, List<DatanodeStorageInfo> results, boolean avoidStaleNodes,
      EnumMap<StorageType, Integer> storageTypes) throws NotEnoughReplicasException {
    DatanodeStorageInfo first = null;
    for (int number = 0; number < numOfReplicas; number++) {
      DatanodeStorageInfo chosen =
          chooseOne(excludedNodes, blocksize, maxNodesPerRack, results, avoidStaleNodes, storageTypes);
      if (chosen == null) {
        throw new NotEnoughReplicasException("No DataNode is left that the placement map allows");
      }
      first = first == null ? chosen : first;
    }
    return first;
  }

  private DatanodeStorageInfo chooseOne(Set<Node> excludedNodes, long blocksize, int maxNodesPerRack,
      List<DatanodeStorageInfo> results, boolean avoidStaleNodes, EnumMap<StorageType, Integer> storageTypes)
      throws NotEnoughReplicasException {
    TenantMap map = current();
    List<Place> placed = places(map, nodes(results));
    for (int mask : map.masks) {
      List<Place> others = map.fitting(placed, mask);
      for (List<List<Place>> tenants : TenantMap.shuffled(map.classes)) {
        if (!map.open(tenants, others, mask)) {
          continue;
        }
        for (List<Place> servers : TenantMap.shuffled(tenants)) {
          for (Place place : TenantMap.shuffled(servers)) {
            if (place.busy || !map.fits(others, place, mask)) {
              continue;
            }
            DatanodeDescriptor node = host2datanodeMap.getDatanodeByXferAddr(place.ip, place.port);
            if (node == null || excludedNodes.contains(node)
                || !isGoodDatanode(node, maxNodesPerRack, considerLoad, results, avoidStaleNodes)) {
              continue;
            }
            DatanodeStorageInfo chosen = chooseLocalOrFavoredStorage(node, true, excludedNodes, blocksize,
                maxNodesPerRack, results, avoidStaleNodes, storageTypes);
            if (chosen != null) {
              return chosen;
            }
          }
        }
      }
    }
    return null;
  }

  @Override
  boolean isGoodDatanode(DatanodeDescriptor node, int maxTargetPerRack, boolean considerLoad,
      List<DatanodeStorageInfo> results, boolean avoidStaleNodes) {
    TenantMap map = current();
    Place place = map.place(node.getXferAddr());
    return place != null && !place.busy
        && map.fits(map.fitting(places(map, nodes(results)), map.hard()), place, map.hard())
        && super.isGoodDatanode(node, maxTargetPerRack, considerLoad, results, avoidStaleNodes);
  }

  @Override
  public BlockPlacementStatus verifyBlockPlacement(DatanodeInfo[] locs, int numberOfReplicas) {
    TenantMap map = this.map;
    List<Place> known = places(map, Arrays.asList(locs));
    // A replica too many may break a constraint: it is the one that goes, once there is another in its place.
    int missing = Math.min(numberOfReplicas, known.size()) - map.fitting(known, map.hard()).size();
    return new BlockPlacementStatus() {
      @Override
      public boolean isPlacementPolicySatisfied() {
        return missing <= 0;
      }

      @Override
      public String getErrorDescription() {
        return missing <= 0 ? null : missing + " replicas share what the placement map says must differ";
      }

      @Override
      public int getAdditionalReplicasRequired() {
        return Math.max(0, missing);
      }
    };
  }

  @Override
  public List<DatanodeStorageInfo> chooseReplicasToDelete(Collection<DatanodeStorageInfo> availableReplicas,
      Collection<DatanodeStorageInfo> delCandidates, int expectedNumOfReplicas, List<StorageType> excessTypes,
      DatanodeDescriptor addedNode, DatanodeDescriptor delNodeHint) {
    TenantMap map = this.map;
    List<DatanodeStorageInfo> left = new ArrayList<>(availableReplicas);
    List<DatanodeStorageInfo> candidates = new ArrayList<>(delCandidates);
    List<DatanodeStorageInfo> chosen = new ArrayList<>();
    while (left.size() > expectedNumOfReplicas) {
      candidates.removeIf(each -> !excessTypes.contains(each.getStorageType()));
      int[] kept = candidates.stream().mapToInt(each -> without(map, left, each)).toArray();
      int most = Arrays.stream(kept).max().orElse(-1);
      List<DatanodeStorageInfo> best = new ArrayList<>();
      for (int number = 0; number < kept.length; number++) {
        if (kept[number] == most) {
          best.add(candidates.get(number));
        }
      }
      DatanodeStorageInfo next = best.stream().filter(each -> each.getDatanodeDescriptor() == delNodeHint).findFirst()
          .orElseGet(() -> chooseReplicaToDelete(best, Collections.emptyList(), excessTypes, Collections.emptyMap()));
      if (next == null) {
        break;
      }
      excessTypes.remove(next.getStorageType());
      left.remove(next);
      candidates.remove(next);
      chosen.add(next);
    }
    return chosen;
  }

  /** How many replicas fit together once one is gone. */
  private static int without(TenantMap map, List<DatanodeStorageInfo> replicas, DatanodeStorageInfo one) {
    List<DatanodeInfo> rest = nodes(replicas);
    rest.remove(one.getDatanodeDescriptor());
    return map.fitting(places(map, rest), map.masks[0]).size();
  }

  @Override
  public boolean isMovable(Collection<DatanodeInfo> locs, DatanodeInfo source, DatanodeInfo target) {
    TenantMap map = current();
    Place place = map.place(target.getXferAddr());
    List<DatanodeInfo> rest = new ArrayList<>(locs);
    rest.remove(source);
    return place != null && !place.busy && map.fits(map.fitting(places(map, rest), map.hard()), place, map.hard());
  }

  private static List<DatanodeInfo> nodes(Collection<DatanodeStorageInfo> storages) {
    return storages.stream().map(DatanodeStorageInfo::getDatanodeDescriptor).collect(Collectors.toList());
  }

  /** What is known of nodes; one that is in no map, of which nothing is, is passed over. */
  private static List<Place> places(TenantMap map, Collection<? extends DatanodeInfo> nodes) {
    return nodes.stream().map(node -> map.place(node.getXferAddr())).filter(place -> place != null)
        .collect(Collectors.toList());
  }
}
