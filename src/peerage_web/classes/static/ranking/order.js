// An order with ties: a list of places, best first, each a list of submissions. Functions give a new order.

export const sameOrder = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export const placeOf = (tiers, submission) => tiers.findIndex((tier) => tier.includes(submission));

export function without(tiers, submission) {
  return tiers.map((tier) => tier.filter((one) => one !== submission)).filter((tier) => tier.length);
}

// A place of its own before what is now at `index`, counted without the submission itself.
export function alone(tiers, submission, index) {
  const rest = without(tiers, submission);
  return [...rest.slice(0, index), [submission], ...rest.slice(index)];
}

// Together with another submission.
export function beside(tiers, submission, other) {
  return without(tiers, submission).map((tier) => (tier.includes(other) ? [...tier, submission].sort() : tier));
}

export function up(tiers, submission) {
  const at = placeOf(tiers, submission);
  if (at < 0) return [...tiers, [submission]];
  if (tiers[at].length > 1) return alone(tiers, submission, at);
  return at === 0 ? tiers : alone(tiers, submission, at - 1);
}

export function down(tiers, submission) {
  const at = placeOf(tiers, submission);
  if (at < 0) return tiers;
  if (tiers[at].length > 1) return alone(tiers, submission, at + 1);
  return at === tiers.length - 1 ? tiers : alone(tiers, submission, at + 1);
}

export function tie(tiers, submission) {
  const at = placeOf(tiers, submission);
  return at > 0 ? beside(tiers, submission, tiers[at - 1][0]) : tiers;
}

export function separate(tiers, submission) {
  const at = placeOf(tiers, submission);
  return at >= 0 && tiers[at].length > 1 ? alone(tiers, submission, at + 1) : tiers;
}
