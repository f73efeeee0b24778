// Finds the known word nearest to a mistyped one.

/** The known word that a mistyped one most likely means; undefined when none is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const folded = word.slice(0, 100).toLowerCase();
  const tolerance = Math.max(1, Math.min(3, Math.floor(folded.length / 3)));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(folded, candidate.toLowerCase());
    if (distance <= tolerance && (!best || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}

// Insertions, deletions, replacements and swapped neighbours count one each.
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
