// An import by the operator's command as a process of its own, and what it cost.

import type { ImportReport } from '#import/judgement/import-report.ts';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { watchProcess } from '#tools/site/proc.ts';
import { hygie, outputOf } from '#tools/site/processes.ts';
import { grouped, megabytes, type Row } from './table.ts';

export interface Load {
  /** Seconds from the start of the process to its end. */
  seconds: number;
  /** Processor time of all threads. */
  processorSeconds: number;
  /** MB: highest resident memory, and the highest without mapped files. */
  peak: number;
  peakOwn: number;
  report: Pick<ImportReport, 'outcome' | 'lines' | 'resources' | 'changes' | 'phases'>;
}

/** Runs `hygie directory import FOLDER` with the configuration that `env` names. Throws when it fails. */
export async function loadEdition(folder: string, env: Record<string, string>, cleanup: Cleanup): Promise<Load> {
  const started = performance.now();
  const args = ['directory', 'import', folder, '--json'];
  const { child, ended } = hygie(args, { env, cleanup });
  const watch = watchProcess(child.pid ?? 0);
  try {
    const output = outputOf(args, await ended);
    const seconds = (performance.now() - started) / 1000;
    const { outcome, lines, resources, changes, phases } = JSON.parse(output) as ImportReport;
    const { peak, own, processor } = watch.stop();
    const report = { outcome, lines, resources, phases, ...(changes && { changes }) };
    return { seconds, processorSeconds: processor, peak, peakOwn: own, report };
  } finally {
    watch.stop();
  }
}

/** `name` says what was loaded, and how. */
export function loadRows(name: string, { seconds, processorSeconds, peak, peakOwn, report }: Load): Row[] {
  const { Practitioner, Organization, PractitionerRole } = report.resources;
  const phases = Object.entries(report.phases).map(([phase, time]) => `${phase} ${time.toFixed(1)}`);
  return [
    {
      what: name,
      note: `**${seconds.toFixed(1)} s**, processor ${processorSeconds.toFixed(1)} s; ${grouped(report.lines)} lines, ${grouped(Practitioner)} people, ${grouped(Organization)} structures, ${grouped(PractitionerRole)} roles (${report.outcome})`,
    },
    {
      what: `${name}: peak memory`,
      note: `**${megabytes(peak)}** resident (VmHWM of the whole process, read every 50 ms); without mapped files ${megabytes(peakOwn)}`,
    },
    { what: `${name}: seconds by phase`, note: phases.join(', ') || 'not told' },
  ];
}
