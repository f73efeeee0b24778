// Owns reading CSV text (RFC 4180; comma or semicolon) into records with their line numbers.
// Does not own what the columns mean (`accounts-import.ts`).

export interface CsvRecord {
  /** 1-based line on which the record begins. */
  line: number;
  cells: string[];
}

/** Records of the text; empty lines are passed over. `fault` names the line of a quotation mark that is never closed. */
export function parseCsv(text: string): { records: CsvRecord[]; fault?: { line: number; problem: string } } {
  const source = text.replace(/^\uFEFF/, '');
  const separator = separatorOf(source);
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let line = 1;
  let start = 1;
  let quotedSince = 0;

  const endRecord = () => {
    cells.push(cell);
    if (cells.length > 1 || cells[0] !== '') records.push({ line: start, cells });
    cells = [];
    cell = '';
  };
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '\n') line += 1;
    if (quotedSince > 0) {
      if (sign !== '"') cell += sign;
      else if (source[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quotedSince = 0;
    } else if (sign === '"' && cell === '') quotedSince = line;
    else if (sign === separator) {
      cells.push(cell);
      cell = '';
    } else if (sign === '\n') {
      endRecord();
      start = line;
    } else if (sign !== '\r') cell += sign;
  }
  if (quotedSince > 0) {
    return { records, fault: { line: quotedSince, problem: 'A quotation mark opens here and is never closed.' } };
  }
  endRecord();
  return { records };
}

function separatorOf(text: string): string {
  const head = text.split('\n', 1)[0] ?? '';
  return head.split(';').length > head.split(',').length ? ';' : ',';
}
