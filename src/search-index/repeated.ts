// Marks parts that come in many resources, so that their text is made once.

const REPEATED = Symbol('repeated');

/** Marks a part that comes in many resources, so that a snapshot makes its text once. The part must not change. */
export function repeated<Part extends object>(part: Part): Part {
  Object.defineProperty(part, REPEATED, { value: true });
  return Object.freeze(part);
}

/** Checks whether a part was marked by `repeated`. */
export function isRepeated(part: object): boolean {
  return (part as { [REPEATED]?: true })[REPEATED] === true;
}
