"""What a generated datacenter is like: ten shipped profiles of differing variation, and how to vary one.

The proportions are those that the harvesting paper reports (section 3.2): few tenants are periodic but they own some
40 % of the servers, most tenants are constant, three datacenters have far fewer reimages. The figures of one
datacenter are not in the paper; these ten differ in the directions that its Figures 4, 13, 14 and 15 show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from froude.harvest.telemetry.correlation import Correlation


class Pattern(Enum):
    """How a tenant's utilisation goes over a month (section 3.2)."""

    PERIODIC = "periodic"
    CONSTANT = "constant"
    UNPREDICTABLE = "unpredictable"


PATTERNS = tuple(Pattern)


class Racks(Enum):
    """How racks and tenants go together."""

    CONTIGUOUS = "contiguous"
    """A rack's servers are of one tenant, or of few."""
    HALF = "half"
    """Half of the servers lie so, the others anywhere."""
    SCATTERED = "scattered"
    """A server's rack says nothing of its tenant."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What chance draws a datacenter from."""

    name: str
    tenants: int = 300
    servers: int = 3000
    tenant_shares: tuple[float, float, float] = (0.10, 0.65, 0.25)
    """Of tenants that are periodic, constant, unpredictable."""
    server_shares: tuple[float, float, float] = (0.40, 0.36, 0.24)
    """Of servers whose tenants are so."""
    mean: float = 0.33
    """Mean utilisation over all servers; 33 % in the paper's testbed (section 6.2)."""
    swing: float = 0.25
    """Mean amplitude of a periodic tenant's day, in shares of a server."""
    wander: float = 0.12
    """Standard deviation of an unpredictable tenant."""
    tenants_per_environment: float = 4.0
    rack_servers: int = 40
    racks: Racks = Racks.HALF
    reimages: float = 0.41
    """Mean reimages a server and month."""
    spread: float = 2.0
    """Standard deviation of the logarithm of tenants' rates of reimages."""
    drift: float = 0.15
    """The same of a tenant's months around its own rate."""
    correlated: float = 0.30
    """Share of reimages that come in events which hit many servers at once."""
    scopes: tuple[float, float, float] = (0.70, 0.30, 0.0)
    """Of such events, those that hit a tenant, an environment, a rack."""
    sizes: tuple[tuple[int, int], ...] = ()
    """How many servers an event hits, and how often that was seen: such events come by chance, as failures do. None
    for events that hit 30 to 100 % of their group, and come to the same groups month after month."""

    def like(self, correlation: Correlation) -> Profile:
        """The same with reimages that come together as others did."""
        return replace(self, correlated=correlation.share, scopes=correlation.scopes, sizes=correlation.sizes)

    def __post_init__(self) -> None:
        if not 3 <= self.tenants <= self.servers:
            raise ValueError("at least three tenants, and a server for each")
        shares = (self.tenant_shares, self.server_shares, self.scopes)
        if any(abs(sum(each) - 1) > 1e-9 or min(each) < 0 for each in shares):
            raise ValueError("shares are not negative and add up to 1")


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("DC-0", swing=0.08, wander=0.05, reimages=0.08),
        Profile("DC-1", swing=0.38, wander=0.18, reimages=0.45),
        Profile("DC-2", swing=0.10, wander=0.06, reimages=0.09),
        Profile(
            "DC-3",
            swing=0.22,
            wander=0.12,
            reimages=0.55,
            spread=2.3,
            correlated=0.50,
            scopes=(0.5, 0.5, 0.0),
        ),
        Profile("DC-4", swing=0.40, wander=0.20, reimages=0.40),
        Profile("DC-5", swing=0.20, wander=0.10, reimages=0.35, racks=Racks.CONTIGUOUS),
        Profile("DC-6", swing=0.28, wander=0.14, reimages=0.50, racks=Racks.SCATTERED),
        Profile("DC-7", swing=0.18, wander=0.10, reimages=0.10, tenants=200, servers=2000),
        Profile("DC-8", swing=0.30, wander=0.15, reimages=0.45, correlated=0.40),
        Profile("DC-9", swing=0.26, wander=0.13, reimages=0.38, tenants=500, servers=5000),
    )
}
"""By name; DC-9 is the paper's largest and most varied."""
