// Opens tracing where OpenTelemetry's variables ask for it; without them, none of its modules is loaded.

import { redactText } from '#shared/log/redaction.ts';
import type { Tracing } from './tracing.ts';
import { tracingSettings } from './tracing-settings.ts';

/** @param report told of what is not understood, and when traces can no longer be sent, and when they can again */
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
