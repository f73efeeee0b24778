// Opens tracing if OpenTelemetry's variables ask for it, for the service or for one run of a command. Otherwise none of OpenTelemetry's
// modules is loaded.

import { redactText } from '#shared/log/redaction.ts';
import { present } from '#shared/present.ts';
import { withinContext } from '#shared/request-context.ts';
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

/**
 * Runs a command as a trace if tracing is on. The caller of the command may pass its own span in TRACEPARENT and TRACESTATE
 * (https://opentelemetry.io/docs/specs/otel/context/env-carriers/): the command then becomes a part of that trace. Arguments are not
 * recorded, because they may name people.
 * @param run resolves with the exit code
 */
export async function traceCommand(
  name: string,
  env: NodeJS.ProcessEnv,
  report: (message: string) => void,
  run: () => Promise<number>,
): Promise<number> {
  const tracing = await openTracing(env, report);
  if (!tracing) return run();
  const { TRACEPARENT: traceparent, TRACESTATE: tracestate } = env;
  const caller = present({ traceparent, tracestate });
  const span = tracing.begin({ name: `hygie ${name}`, attributes: { 'hygie.command': name } }, caller);
  try {
    const code = await withinContext({ tracer: tracing.tracer, span }, run);
    span?.set({ 'process.exit.code': code });
    span?.end(code === 0 ? undefined : 'exit code');
    return code;
  } catch (error) {
    span?.end(error instanceof Error ? error.constructor.name : 'Error');
    throw error;
  } finally {
    await tracing.close();
  }
}
