#!/usr/bin/env python3
"""Small jobs of MapReduce for a recording: `mapreduce_jobs.py JOB,JOB,... SIZE`, each on SIZE files with SIZE reducers.

upload         text files, one after the other
distcp         the same by copies of YARN's
teragen        random rows, made by SIZE maps
terasort       sorts them
wordcount      counts the words of the text files
invertedindex  says of each word in which of them it stands (Hadoop Streaming)
kmeans         finds groups of points, again and again from the last answer (Hadoop Streaming)
spark          counts the words of the text files with SIZE executors (Spark, from PySpark)

A job that needs the files of another runs after it: `upload,wordcount`, `teragen,terasort`. What is made is always the
same at one size. Hadoop's programs are found on the PATH. Containers run this file again as mapper and reducer, with
whatever python3 they find, so it uses nothing but the standard library; `spark` needs PySpark in the Python that runs
this file, and a Java that PySpark's release supports.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

SEED = 1872
WORDS_A_FILE = 20_000
VOCABULARY = 2_000
ROWS_A_MAP = 2_000
POINTS_A_FILE = 500
GROUPS = 48
ITERATIONS = 3
JAVAS = {3: (8, 11, 17), 4: (17, 21)}
"""Releases of Java that a release of Spark supports, by its first number."""


def hadoop(*words: str | Path) -> None:
    """Run one of Hadoop's programs; it says on its own what is wrong."""
    subprocess.run(list(map(str, words)), check=True)


def streaming(name: str, size: int, source: str, target: str, *, beside: Iterable[Path] = ()) -> None:
    """Run a job whose mapper and reducer are functions of this file.

    Args:
        beside: files that mappers find in their folder.
    """
    own = Path(__file__)
    files = ",".join(path.as_uri() for path in (own.resolve(), *beside))
    program = f"python3 {own.name}"
    hadoop(
        *("yarn", "streaming", f"-Dmapreduce.job.reduces={size}", f"-Dmapreduce.job.name={name}"),
        *("-files", files, "-input", source, "-output", target),
        *("-mapper", f"{program} map-{name}", "-reducer", f"{program} reduce-{name}"),
    )


# --- the jobs: each is given SIZE and a folder for its files ------------------------------------------------


def upload(size: int, folder: Path) -> None:
    """Put SIZE text files."""
    rng = random.Random(SEED)
    words = ["".join(rng.choices("aeioudlmnrst", k=rng.randint(2, 9))) for _ in range(VOCABULARY)]
    weights = [1 / rank for rank in range(1, VOCABULARY + 1)]
    files = [folder / f"text-{number:03}" for number in range(size)]
    for file in files:
        chosen = rng.choices(words, weights, k=WORDS_A_FILE)
        file.write_text("".join(" ".join(chosen[at : at + 10]) + "\n" for at in range(0, WORDS_A_FILE, 10)))
    hadoop("hdfs", "dfs", "-mkdir", "/text")
    hadoop("hdfs", "dfs", "-put", *files, "/text")


def distcp(size: int, _: Path) -> None:
    """Copy the text files."""
    hadoop("yarn", "distcp", "-m", str(size), "/text", "/copy")


def teragen(size: int, _: Path) -> None:
    """Make rows."""
    hadoop("yarn", "examples", "teragen", f"-Dmapreduce.job.maps={size}", str(size * ROWS_A_MAP), "/rows")


def terasort(size: int, _: Path) -> None:
    """Sort them."""
    hadoop("yarn", "examples", "terasort", f"-Dmapreduce.job.reduces={size}", "/rows", "/sorted")


def wordcount(size: int, _: Path) -> None:
    """Count words."""
    hadoop("yarn", "examples", "wordcount", f"-Dmapreduce.job.reduces={size}", "/text", "/counts")


def invertedindex(size: int, _: Path) -> None:
    """Index words."""
    streaming("invertedindex", size, "/text", "/index")


def kmeans(size: int, folder: Path) -> None:
    """Group points: each iteration is a job, which begins with the centres that the last one found."""
    rng = random.Random(SEED)
    centres = [(rng.uniform(0, 100), rng.uniform(0, 100)) for _ in range(GROUPS)]
    files = [folder / f"points-{number:03}" for number in range(size)]
    for file in files:
        near = [rng.choice(centres) for _ in range(POINTS_A_FILE)]
        file.write_text("".join(f"{rng.gauss(x, 5):.3f} {rng.gauss(y, 5):.3f}\n" for x, y in near))
    hadoop("hdfs", "dfs", "-mkdir", "/points")
    hadoop("hdfs", "dfs", "-put", *files, "/points")
    known = folder / "centres"
    known.write_text("".join(f"{group}\t{x:.3f} {y:.3f}\n" for group, (x, y) in enumerate(_scattered(rng))))
    for iteration in range(1, ITERATIONS + 1):
        target = f"/centres-{iteration}"
        streaming("kmeans", size, "/points", target, beside=[known])
        found = subprocess.run(
            ["hdfs", "dfs", "-cat", f"{target}/part-*"], check=True, stdout=subprocess.PIPE, text=True
        )
        known.write_text(found.stdout)


def spark(size: int, _: Path) -> None:
    """Count words by Spark on YARN: this file is what it runs."""
    home, java = spark_home(), java_release()
    release = importlib.metadata.version("pyspark")
    supported = JAVAS.get(int(release.partition(".")[0]), ())
    if supported and java not in supported:
        allowed = ", ".join(map(str, supported))
        raise OSError(
            f"PySpark {importlib.metadata.version('pyspark')} does not support Java {java}; it needs {allowed}"
        )
    # Executors take half a gigabyte at least: less is refused. All of them find the driver on this machine.
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.yarn.am.memory": "384m",
        "spark.yarn.am.memoryOverhead": "64m",
        "spark.executor.memoryOverhead": "64m",
    }
    asked = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    conf = os.environ.get("HADOOP_CONF_DIR", "")
    around = {
        "SPARK_HOME": str(home),
        "YARN_CONF_DIR": conf,
        "PYSPARK_PYTHON": sys.executable,
        "JDK_JAVA_OPTIONS": f"-Djdk.net.hosts.file={conf}/hosts",
    }
    subprocess.run(
        [
            *(str(home / "bin" / "spark-submit"), "--master", "yarn", "--deploy-mode", "client"),
            *("--num-executors", str(size), "--executor-memory", "512m", "--driver-memory", "512m", *asked),
            *(str(Path(__file__).resolve()), "spark-words", str(size)),
        ],
        check=True,
        env=os.environ | around,
    )


def spark_home() -> Path:
    """Where PySpark is.

    Raises:
        OSError: nowhere; with what to do.
    """
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise OSError(f"PySpark is not there: {sys.executable} -m pip install pyspark")
    return Path(found.origin).parent


def java_release() -> int:
    """The number of the Java release on the PATH; 8 for 1.8.

    Raises:
        OSError: there is none.
    """
    said = subprocess.run(["java", "-version"], check=True, stderr=subprocess.PIPE, text=True).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(version[1]) if version else 0


def spark_words(size: int) -> None:
    """What Spark's driver does; it has PySpark."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("wordcount").getOrCreate()
    words = session.sparkContext.textFile("/text", size).flatMap(str.split)
    words.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b, size).saveAsTextFile("/spark-counts")
    session.stop()


def _scattered(rng: random.Random) -> list[tuple[float, float]]:
    return [(rng.uniform(0, 100), rng.uniform(0, 100)) for _ in range(GROUPS)]


# --- mappers and reducers: lines in, lines out --------------------------------------------------------------


def map_invertedindex(lines: Iterable[str]) -> Iterator[str]:
    """Each word with the file that it stands in, once a mapper."""
    file = Path(os.environ["mapreduce_map_input_file"]).name
    seen = {word for line in lines for word in line.split()}
    yield from (f"{word}\t{file}" for word in sorted(seen))


def reduce_invertedindex(lines: Iterable[str]) -> Iterator[str]:
    """Each word with all its files."""
    for word, pairs in _grouped(lines):
        yield f"{word}\t{' '.join(sorted(set(pairs)))}"


def map_kmeans(lines: Iterable[str]) -> Iterator[str]:
    """Each point with the centre that it is nearest to."""
    centres = [(group, _point(at)) for group, at in _pairs(Path("centres").read_text().splitlines())]
    for line in lines:
        x, y = _point(line)
        nearest = min(centres, key=lambda each: (each[1][0] - x) ** 2 + (each[1][1] - y) ** 2)
        yield f"{nearest[0]}\t{line.strip()}"


def reduce_kmeans(lines: Iterable[str]) -> Iterator[str]:
    """The middle of the points of each centre."""
    for group, points in _grouped(lines):
        xs, ys = zip(*map(_point, points), strict=True)
        yield f"{group}\t{sum(xs) / len(xs):.3f} {sum(ys) / len(ys):.3f}"


def _point(text: str) -> tuple[float, float]:
    x, y = text.split()
    return float(x), float(y)


def _pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key, _, value = line.rstrip("\n").partition("\t")
        yield key, value


def _grouped(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    for key, pairs in groupby(_pairs(lines), key=lambda pair: pair[0]):
        yield key, [value for _, value in pairs]


JOBS: dict[str, Callable[[int, Path], None]] = {
    each.__name__: each
    for each in (upload, distcp, teragen, terasort, wordcount, invertedindex, kmeans, spark)
}
STEPS: dict[str, Callable[[Iterable[str]], Iterator[str]]] = {
    each.__name__.replace("_", "-"): each
    for each in (map_invertedindex, reduce_invertedindex, map_kmeans, reduce_kmeans)
}


def main(words: list[str]) -> int:
    """Run jobs, or be a mapper or reducer of one."""
    if len(words) == 1 and words[0] in STEPS:
        for line in STEPS[words[0]](sys.stdin):
            print(line)
        return 0
    if words[:1] == ["spark-words"]:
        spark_words(int(words[1]))
        return 0
    asked = words[0].split(",") if len(words) == 2 else []
    if not asked or set(asked) - set(JOBS) or not words[1].isdecimal() or not int(words[1]):
        print(f"usage: mapreduce_jobs.py JOB,JOB,... SIZE; jobs: {', '.join(JOBS)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for name in asked:
            try:
                JOBS[name](int(words[1]), Path(folder))
            except (subprocess.CalledProcessError, OSError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
