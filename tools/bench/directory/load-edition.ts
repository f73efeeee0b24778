// An import by the operator's command as a process of its own, and what it cost.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { ImportReport } from '#import/judgement/import-report.ts';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { watchProcess } from '#tools/site/proc.ts';
import { ROOT, stop } from '#tools/site/processes.ts';
import { grouped, megabytes, type Row } from './table.ts';

export interface Load {
  /** Of the whole process, from its start to its end. */
  seconds: number;
  /** Of all threads. */
  processorSeconds: number;
  /** MB: highest resident memory, and the highest without mapped files. */
  peak: number;
  peakOwn: number;
  report: Pick<ImportReport, 'outcome' | 'lines' | 'resources' | 'changes' | 'phases'>;
}

/** Runs `hygie directory import FOLDER` on the site that `env` names. Throws when it fails. */
export async function loadEdition(folder: string, env: Record<string, string>, cleanup: Cleanup): Promise<Load> {
  const started = performance.now();
  const { child, ended } = runHygie(['directory', 'import', folder, '--json'], env, cleanup);
  const watch = watchProcess(child.pid ?? 0);
  try {
    const output = await ended;
    const seconds = (performance.now() - started) / 1000;
    const { outcome, lines, resources, changes, phases } = JSON.parse(output) as ImportReport;
    const { peak, own, processor } = watch.stop();
    const report = { outcome, lines, resources, phases, ...(changes && { changes }) };
    return { seconds, processorSeconds: processor, peak, peakOwn: own, report };
  } finally {
    watch.stop();
  }
}

/** Runs `hygie ARGS`; `ended` resolves with its standard output. */
export function runHygie(args: readonly string[], env: Record<string, string>, cleanup: Cleanup) {
  const child = spawn(process.execPath, ['src/launch.js', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanup.later(() => stop(child));
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const ended = Promise.all([text(child.stdout), code]).then(([output, status]) => {
    if (status !== 0) throw new Error(`hygie ${args.join(' ')} ended with ${status}: ${output}`);
    return output;
  });
  return { child, ended };
}

/** @param name what was loaded, and how */
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
