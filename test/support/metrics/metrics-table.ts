// The tables of all metrics and of the limits that they count in the handbook, from their definitions: written by `npm run schemas`.

import { definitionOf, METRICS, type MetricName, PREFIX } from '#server/metrics/metric-definitions.ts';
import { LIMITS } from '#shared/limits-reached.ts';
import { alignedTable } from '#support/markdown-table.ts';

/** Values of a label that are written out; longer lists are what the meaning says. */
const SHOWN = 8;

export function metricsTable(): string {
  const rows = (Object.keys(METRICS) as MetricName[]).map((name) => {
    const { type, labels = {}, help } = definitionOf(name);
    return [`\`${PREFIX}${name}\``, type, Object.entries(labels).map(labelText).join('; '), help];
  });
  return alignedTable(['Metric', 'Kind', 'Labels', 'Meaning'], rows);
}

function labelText([label, values]: [string, readonly string[] | undefined]): string {
  return values && values.length <= SHOWN ? `\`${label}\`: ${values.join(', ')}` : `\`${label}\``;
}

export function limitsTable(): string {
  const rows = Object.entries(LIMITS).map(([limit, meaning]) => [`\`${limit}\``, meaning]);
  return alignedTable(['Limit', 'What it refuses'], rows);
}
