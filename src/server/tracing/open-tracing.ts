// Opens tracing if OpenTelemetry's variables ask for it, for the service or for one run of a command (`trace-command.ts`). Otherwise none
// of OpenTelemetry's modules is loaded.

import { redactText } from '#shared/log/redaction.ts';
import type { Tracing } from './tracing.ts';
import { tracingSettings } from './tracing-settings.ts';

/**
 * Opens tracing.
 * @param report called for settings that are not understood, and when exporting traces begins to fail or works again
 */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  report: (message: string) => void,
): Promise<Tracing | undefined> {
  const { settings, doubts } = tracingSettings(env);
  for (const doubt of doubts) report(`tracing: ${redactText(doubt)}`);
  if (settings === undefined) return undefined;
  const { startTracing } = await import('./sdk.ts');
  return startTracing(settings, report);
}
