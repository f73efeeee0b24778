// Owns the guess which known name was meant by an unknown one.
// Does not own the message around it.

/** The known name that fewest single-letter edits away, two at most; capitals do not count. */
export function nearest(unknown: string, known: readonly string[]): string | undefined {
  const meant = unknown.toLowerCase();
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(meant.length / 2));
  if (meant.length > 40) return undefined;
  for (const name of known) {
    const edits = distance(meant, name.toLowerCase());
    if (edits < least) {
      least = edits;
      best = name;
    }
  }
  return best;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let line = 1; line <= a.length; line++) {
    const next = [line];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
