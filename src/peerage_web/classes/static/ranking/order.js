// An order with ties: a list of places, best first, each a list of works. Functions give a new order.

export const sameOrder = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export const placeOf = (bins, work) => bins.findIndex((bin) => bin.includes(work));

export function without(bins, work) {
  return bins.map((bin) => bin.filter((one) => one !== work)).filter((bin) => bin.length);
}

// A place of its own before what is now at `index`, counted without the work itself.
export function alone(bins, work, index) {
  const rest = without(bins, work);
  return [...rest.slice(0, index), [work], ...rest.slice(index)];
}

// Together with another work.
export function beside(bins, work, other) {
  return without(bins, work).map((bin) => (bin.includes(other) ? [...bin, work].sort() : bin));
}

export function up(bins, work) {
  const at = placeOf(bins, work);
  if (at < 0) return [...bins, [work]];
  if (bins[at].length > 1) return alone(bins, work, at);
  return at === 0 ? bins : alone(bins, work, at - 1);
}

export function down(bins, work) {
  const at = placeOf(bins, work);
  if (at < 0) return bins;
  if (bins[at].length > 1) return alone(bins, work, at + 1);
  return at === bins.length - 1 ? bins : alone(bins, work, at + 1);
}

export function tie(bins, work) {
  const at = placeOf(bins, work);
  return at > 0 ? beside(bins, work, bins[at - 1][0]) : bins;
}

export function separate(bins, work) {
  const at = placeOf(bins, work);
  return at >= 0 && bins[at].length > 1 ? alone(bins, work, at + 1) : bins;
}
