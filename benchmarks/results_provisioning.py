"""Measures everything that docs/results/provisioning shows: `make results-provisioning`.

Groups can be measured alone, `python -m benchmarks.results_provisioning --only paper,speed`: their rows replace
the ones already in the table.
"""

from __future__ import annotations

from benchmarks import provision_paper
from benchmarks.results import Row, Topic

TOPIC = Topic(
    "provisioning",
    "Provisioning, measured",
    "Every figure is computed or measured by `make results-provisioning` on the machine named below. In the groups "
    "of the paper the column `aim` has the published figure, and `met` says whether ours is the same within 2 %, or "
    "as its row says; inputs that the paper does not publish are guesses and named as such.",
)


@TOPIC.group("devices", "Published: rate and gap of a device (paper 3.2.1)")
def devices() -> list[Row]:
    """Arithmetic of Table 1."""
    return list(provision_paper.device_rows())


@TOPIC.group("photoshare", "Published: PhotoShare (paper 5.2)")
def photoshare() -> list[Row]:
    """The cluster, its alternatives, scale-out."""
    return list(provision_paper.photoshare_rows())


@TOPIC.group("product-search", "Published: ProductSearch (paper 5.3)")
def product_search() -> list[Row]:
    """The network and the workers."""
    return list(provision_paper.product_search_rows())


@TOPIC.group("terasort", "Published: Terasort and the large sort (paper 5.4, 6.2)")
def terasort() -> list[Row]:
    """Against best practice, and in memory."""
    return list(provision_paper.terasort_rows())


TOPIC.benchmark("speed", "Speed of the optimiser", "bench_provision")
TOPIC.benchmark("catalog", "A catalog of more than a thousand instance types", "bench_catalog")

if __name__ == "__main__":
    TOPIC.main()
