// Writes what `directory status` and `check --instances` say about the instances that serve: one line for each, and where they differ.

import { printable } from '#shared/log/printable.ts';
import { COMMON, differencesOf, type Instance, type SeenInstance } from '#store/instances.ts';

/**
 * Writes lines about the instances, after an empty line. Returns none if no process serves. `inForce` is the snapshot that they should
 * serve.
 */
export function describeInstances(instances: readonly SeenInstance[], inForce: string | undefined): string[] {
  if (instances.length === 0) return [];
  const alike = Map.groupBy(instances, (one) => [one.name, ...COMMON.map((what) => one[what]), clock(one)].join());
  const differ = differencesOf(instances);
  return [
    '',
    `Instances${differ.length > 0 ? `, which DIFFER in: ${differ.join(', ')}` : ''}:`,
    ...[...alike.values()].map((processes) => describe(processes as [SeenInstance], inForce)),
  ];
}

/** Describes the processes of one instance that report the same state. */
function describe(processes: readonly [SeenInstance, ...SeenInstance[]], inForce: string | undefined): string {
  const [one] = processes;
  const parts = [
    `release ${one.release}`,
    ...(one.settings === undefined ? [] : [`settings ${one.settings}`]),
    ...(one.clients === undefined ? [] : [`clients ${one.clients}`]),
    served(one, inForce),
    ...clock(one),
    ...(processes.length > 1 ? [`${processes.length} processes`] : []),
  ];
  // Any instance can write into the table, even one of another release, so the text is made printable.
  return printable(`  ${one.name}  since ${one.startedAt.toISOString()}: ${parts.join(', ')}`);
}

/** Says how far the clock of an instance differs, in whole seconds. Smaller differences come from the network. */
function clock({ clockAhead = 0 }: Instance): string[] {
  const seconds = Math.round(Math.abs(clockAhead) / 1000);
  return seconds === 0 ? [] : [`clock ${seconds} s ${clockAhead > 0 ? 'ahead of' : 'behind'} the database's`];
}

/** An edition that differs is shown with the time of the instance's last report: right after an import, instances have not reported yet. */
function served({ edition, pointer, seenAt }: SeenInstance, inForce: string | undefined): string {
  if (edition === inForce) return edition === undefined ? 'no directory' : `serves ${edition}`;
  const at = ` (at ${seenAt.toISOString()})`;
  if (edition === undefined) return `serves NO EDITION${at}`;
  return `serves ${edition}, ANOTHER EDITION than the one in force${pointer === inForce ? '' : ', of which it does not know'}${at}`;
}
