package org.apache.hadoop.hdfs.server.blockmanagement;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * Which tenant, environment and class each DataNode is of, and what must differ between the replicas of a block: what
 * a map file says, never changed once it is read.
 *
 * <p>Tabs stand between fields. The first line is {@code froude-placement 1 ROWS COLUMNS DRAW CONSTRAINT...}, each
 * other one {@code IP:PORT STATE ROW COLUMN ENVIRONMENT RACK TENANT}. A CONSTRAINT is {@code environment},
 * {@code rack}, {@code peak_row} or {@code reimage_column}, the most important first, with {@code ?} after a soft one;
 * DRAW is {@code tenant}, {@code space} or {@code server}; STATE is {@code idle} or {@code busy}.
 */
final class TenantMap {
  private static final List<String> ATTRIBUTES = Arrays.asList("environment", "rack", "peak_row", "reimage_column");
  private static final List<String> DRAWS = Arrays.asList("server", "space", "tenant");
  private static final List<String> STATES = Arrays.asList("idle", "busy");

  /** A DataNode. */
  static final class Place {
    final String ip, environment, rack, tenant;
    final int port, row, column;
    final boolean busy;

    private Place(String[] fields) {
      int colon = fields[0].lastIndexOf(':');
      ip = fields[0].substring(0, colon);
      port = Integer.parseInt(fields[0].substring(colon + 1));
      busy = known(STATES, fields[1]) == 1;
      row = Integer.parseInt(fields[2]);
      column = Integer.parseInt(fields[3]);
      environment = fields[4];
      rack = fields[5];
      tenant = fields[6];
    }
  }

  private final Map<String, Place> places = new HashMap<>();
  private final int rows, columns, draw;

  /** Constraints as bits: all of them, then without the least important soft one, and so on to the hard ones. */
  final int[] masks;

  /** By class and tenant; one class, or one tenant in each, where none is drawn. */
  final List<List<List<Place>>> classes = new ArrayList<>();

  private TenantMap(String[] head) {
    if (!head[0].equals("froude-placement") || !head[1].equals("1")) {
      throw new IllegalArgumentException("is no placement map of form 1");
    }
    rows = Integer.parseInt(head[2]);
    columns = Integer.parseInt(head[3]);
    draw = known(DRAWS, head[4]);
    Deque<Integer> soft = new ArrayDeque<>();
    int all = 0;
    for (int number = 5; number < head.length; number++) {
      int bit = 1 << known(ATTRIBUTES, head[number].replace("?", ""));
      all |= bit;
      if (head[number].endsWith("?")) {
        soft.push(bit);
      }
    }
    masks = new int[soft.size() + 1];
    masks[0] = all;
    for (int stage = 1; stage < masks.length; stage++) {
      masks[stage] = masks[stage - 1] & ~soft.pop();
    }
  }

  /** Reads a file; an IllegalArgumentException names the line that is wrong. */
  static TenantMap read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    TenantMap map = null;
    Map<Integer, Map<String, List<Place>>> grouped = new LinkedHashMap<>();
    for (int number = 0; number < lines.size(); number++) {
      try {
        String[] fields = lines.get(number).split("\t");
        if (number == 0) {
          map = new TenantMap(fields);
        } else {
          map.add(fields, grouped);
        }
      } catch (IllegalArgumentException | IndexOutOfBoundsException error) {
        throw new IllegalArgumentException(file + ", line " + (number + 1) + ": " + error.getMessage(), error);
      }
    }
    if (grouped.isEmpty()) {
      throw new IllegalArgumentException(file + ": names no DataNode");
    }
    for (Map<String, List<Place>> tenants : grouped.values()) {
      map.classes.add(new ArrayList<>(tenants.values()));
    }
    return map;
  }

  private void add(String[] fields, Map<Integer, Map<String, List<Place>>> grouped) {
    Place place = new Place(fields);
    if (place.row < 0 || place.row >= rows || place.column < 0 || place.column >= columns) {
      throw new IllegalArgumentException("is of a class that is not there");
    }
    if (places.put(fields[0], place) != null) {
      throw new IllegalArgumentException("names a DataNode a second time: " + fields[0]);
    }
    grouped.computeIfAbsent(draw > 0 ? place.row * columns + place.column : 0, key -> new LinkedHashMap<>())
        .computeIfAbsent(draw > 1 ? place.tenant : "", key -> new ArrayList<>()).add(place);
  }

  private static int known(List<String> names, String name) {
    int number = names.indexOf(name);
    if (number < 0) {
      throw new IllegalArgumentException(name + " is none of " + names);
    }
    return number;
  }

  int size() {
    return places.size();
  }

  /** What is known of the DataNode at an address; null if nothing is. */
  Place place(String address) {
    return places.get(address);
  }

  /** The constraints that are never given up. */
  int hard() {
    return masks[masks.length - 1];
  }

  /** Whether replicas at these places meet the constraints of a mask. */
  boolean fits(Collection<Place> replicas, int mask) {
    int count = replicas.size();
    return differ(replicas, mask & 1, count, place -> place.environment)
        && differ(replicas, mask & 2, count, place -> place.rack)
        && differ(replicas, mask & 4, rows, place -> place.row)
        && differ(replicas, mask & 8, columns, place -> place.column);
  }

  /** Each value at most as often as it must be, so that rows and columns are free again once all had their turn. */
  private static boolean differ(Collection<Place> replicas, int asked, int values, Function<Place, Object> value) {
    if (asked == 0 || replicas.isEmpty()) {
      return true;
    }
    int most = (replicas.size() + values - 1) / values;
    Map<Object, Integer> times = new HashMap<>();
    return replicas.stream().allMatch(place -> times.merge(value.apply(place), 1, Integer::sum) <= most);
  }

  /** Whether one more replica fits beside others. */
  boolean fits(Collection<Place> others, Place one, int mask) {
    List<Place> all = new ArrayList<>(others);
    all.add(one);
    return fits(all, mask);
  }

  /** All if they meet the constraints; else those that do beside the ones before them. */
  List<Place> fitting(List<Place> replicas, int mask) {
    if (fits(replicas, mask)) {
      return replicas;
    }
    List<Place> kept = new ArrayList<>();
    for (Place place : replicas) {
      if (fits(kept, place, mask)) {
        kept.add(place);
      }
    }
    return kept;
  }

  /** Whether any server of a class may have a replica beside others. */
  boolean open(List<List<Place>> tenants, Collection<Place> others, int mask) {
    return draw == 0 || fits(others, tenants.get(0).get(0), mask & (4 | 8));
  }

  /** All of a list in an order that chance makes, as far as it is asked for. */
  static <T> Iterable<T> shuffled(List<T> all) {
    return () -> new Iterator<T>() {
      private final List<T> left = new ArrayList<>(all);

      @Override
      public boolean hasNext() {
        return !left.isEmpty();
      }

      @Override
      public T next() {
        int last = left.size() - 1;
        Collections.swap(left, ThreadLocalRandom.current().nextInt(last + 1), last);
        return left.remove(last);
      }
    };
  }
}
