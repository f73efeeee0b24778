// Formats the instances that serve, for `directory status` and `check --instances`: one line for each instance, and the values in which
// they differ.

import { printable } from '#shared/log/printable.ts';
import { COMMON, differencesOf, type Instance, type SeenInstance } from '#store/instances.ts';

/**
 * Returns an empty line and then lines about the instances. Returns no lines if no instance serves. `inForce` is the id of the snapshot
 * that all instances should serve.
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
  // Any instance can write any text into the table, even an instance of another release. So control characters are made visible.
  return printable(`  ${one.name}  since ${one.startedAt.toISOString()}: ${parts.join(', ')}`);
}

/**
 * Says by how many whole seconds the clock of an instance differs from the clock of the database. Differences below half a second are left
 * out, because the network alone causes them.
 */
function clock({ clockAhead = 0 }: Instance): string[] {
  const seconds = Math.round(Math.abs(clockAhead) / 1000);
  return seconds === 0 ? [] : [`clock ${seconds} s ${clockAhead > 0 ? 'ahead of' : 'behind'} the database's`];
}

/**
 * Says which edition an instance serves. If it is not the one in force, the time of the instance's last report is added. The last report may
 * be older than the import of the edition in force, which is no fault.
 */
function served({ edition, pointer, seenAt }: SeenInstance, inForce: string | undefined): string {
  if (edition === inForce) return edition === undefined ? 'no directory' : `serves ${edition}`;
  const at = ` (at ${seenAt.toISOString()})`;
  if (edition === undefined) return `serves NO EDITION${at}`;
  if (pointer === inForce) return `serves ${edition}, ANOTHER EDITION than the one in force${at}`;
  return `served ${edition} when it last reported${at}, and had not heard of the one in force: look again in some seconds`;
}
