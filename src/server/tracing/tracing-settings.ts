// Reads OpenTelemetry's standard variables (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). The library
// of the exporter reads the exporter's own variables itself: addresses, headers, certificates, time limits.

type Environment = Readonly<Record<string, string | undefined>>;

const EXPORTERS = ['otlp', 'console'] as const;
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const;

export interface TracingSettings {
  exporters: readonly (typeof EXPORTERS)[number][];
  protocol: (typeof PROTOCOLS)[number];
  sampler: (typeof SAMPLERS)[number];
  /** Share of the traces that are sampled, from 0 to 1. */
  ratio: number;
  /** For a request that continues the trace of its caller: true if the caller decides whether it is sampled. */
  parentBased: boolean;
  /** True if a request continues the trace of its caller (W3C Trace Context). */
  continues: boolean;
  /**
   * The batches of spans: how many spans may wait, how many are sent together, the milliseconds between two batches, and the milliseconds
   * that sending a batch may take.
   */
  batch: {
    maxQueueSize: number;
    maxExportBatchSize: number;
    scheduledDelayMillis: number;
    exportTimeoutMillis: number;
  };
}

/**
 * Returns the settings; they are undefined if nothing is to be traced, as without any variable. `doubts` lists values that are unknown or
 * unsupported. They are only reported, because OpenTelemetry requires that the service starts all the same.
 */
export function tracingSettings(env: Environment): { settings?: TracingSettings; doubts: string[] } {
  const doubts: string[] = [];
  const given = (name: string) => env[name]?.trim() || undefined;
  const doubt = (name: string, remedy: string) => doubts.push(`${name}=${given(name)} ${remedy}`);
  /**
   * Returns the value of a variable. If the value is unknown, adds a doubt. If the value is unknown or missing, returns the first known
   * value.
   */
  const oneOf = <Value extends string>(name: string, known: readonly [Value, ...Value[]]): Value => {
    const value = given(name)?.toLowerCase() ?? known[0];
    const found = known.find((one) => one === value);
    if (!found) doubt(name, `is not known here: ${known.join(', ')}. It is taken as ${known[0]}.`);
    return found ?? known[0];
  };
  const number = (name: string, otherwise: number) => {
    const text = given(name);
    const value = Number(text ?? otherwise);
    if (Number.isInteger(value) && value > 0) return value;
    doubt(name, `is no whole number above 0: it is taken as ${otherwise}.`);
    return otherwise;
  };

  const endpoint = given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? given('OTEL_EXPORTER_OTLP_ENDPOINT');
  const wanted = list(given('OTEL_TRACES_EXPORTER') ?? (endpoint === undefined ? 'none' : 'otlp'));
  if (oneOf('OTEL_SDK_DISABLED', ['false', 'true']) === 'true') return { doubts };
  const exporters = EXPORTERS.filter((name) => wanted.includes(name));
  if (wanted.some((name) => name !== 'none' && !exporters.includes(name as 'otlp')))
    doubt('OTEL_TRACES_EXPORTER', `has exporters that are not supported: ${EXPORTERS.join(', ')} and none are.`);
  if (exporters.length === 0) return { doubts };

  const protocolName = given('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL')
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  if (exporters.includes('otlp') && given(protocolName) === 'grpc') {
    doubt(
      protocolName,
      'is not supported, and nothing is sent: set it to http/protobuf, and the endpoint to the port of the collector for OTLP over HTTP (4318).',
    );
    return { doubts };
  }
  const samplerName = oneOf('OTEL_TRACES_SAMPLER', [
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
    ...SAMPLERS,
  ]);
  const propagators = list(given('OTEL_PROPAGATORS') ?? 'tracecontext,baggage');
  const others = propagators.filter((name) => !['tracecontext', 'baggage', 'none'].includes(name));
  if (others.length > 0)
    doubt('OTEL_PROPAGATORS', `has ${others.join(', ')}, not supported: tracecontext and none are.`);
  const settings: TracingSettings = {
    exporters,
    protocol: oneOf(protocolName, PROTOCOLS),
    sampler: SAMPLERS.find((name) => samplerName.endsWith(name)) ?? 'always_on',
    ratio: ratioOf(given('OTEL_TRACES_SAMPLER_ARG'), () =>
      doubt('OTEL_TRACES_SAMPLER_ARG', 'is no number from 0 to 1: it is taken as 1.'),
    ),
    parentBased: samplerName.startsWith('parentbased_'),
    continues: propagators.includes('tracecontext'),
    batch: {
      maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
      maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
      scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY', 5000),
      exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT', 30_000),
    },
  };
  return { settings, doubts };
}

function list(text: string): string[] {
  return text
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

function ratioOf(text: string | undefined, doubt: () => void): number {
  const ratio = Number(text ?? 1);
  if (ratio >= 0 && ratio <= 1) return ratio;
  doubt();
  return 1;
}
