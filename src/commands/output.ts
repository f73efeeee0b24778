// Owns how commands print rows for people. Does not own JSON, which each command writes itself.

/** A table in aligned columns under a head; control characters are made visible, so that no cell can forge a line. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(visible))];
  const widths = head.map((_, place) => Math.max(...all.map((row) => [...(row[place] ?? '')].length)));
  return all
    .map((row) => row.map((cell, place) => cell + ' '.repeat((widths[place] ?? 0) - [...cell].length)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
