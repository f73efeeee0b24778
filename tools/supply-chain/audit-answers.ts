// Turns the answers of `npm audit --json` and `npm audit signatures --json` into lines for people.

/** `skipped`: the registry gave no answer, so that nothing is known. */
export interface Judgement {
  state: 'clean' | 'faults' | 'skipped';
  lines: string[];
}

interface Advisory {
  title: string;
  url: string;
  severity: string;
  range: string;
}

interface Audit {
  message?: string;
  vulnerabilities?: Record<string, { name: string; via: readonly (Advisory | string)[] }>;
  metadata?: { dependencies: { total: number } };
}

/** `production`: names of the packages that production installs. Each advisory is one line, where it is known and not where it spreads. */
export function judgeAdvisories(answer: string, production: ReadonlySet<string>): Judgement {
  const { message, vulnerabilities, metadata } = parsed<Audit>(answer);
  if (!vulnerabilities) return skipped('advisories', message);
  const lines = Object.values(vulnerabilities).flatMap(({ name, via }) =>
    via
      .filter((one) => typeof one !== 'string')
      .map(({ title, url, severity, range }) => {
        const where = production.has(name) ? 'production' : 'development';
        return `${name} ${range} (${where}, ${severity}): ${title} ${url}`;
      }),
  );
  if (lines.length > 0) return { state: 'faults', lines };
  return { state: 'clean', lines: [`no known vulnerability in ${metadata?.dependencies.total ?? 'any'} packages`] };
}

interface Signatures {
  invalid?: readonly Signed[];
  missing?: readonly Signed[];
  verified?: readonly Signed[];
  error?: { summary?: string };
}

interface Signed {
  name: string;
  version: string;
  code?: string;
}

/** A package without a signature is a fault where its registry signs; provenance (`verified`) is listed, since few publish it. */
export function judgeSignatures(answer: string): Judgement {
  const { invalid, missing, verified = [], error } = parsed<Signatures>(answer);
  if (!invalid || !missing) return skipped('signatures', error?.summary);
  const faults = [
    ...invalid.map(
      (one) => `${nameOf(one)}: ${one.code === 'EATTESTATIONVERIFY' ? 'provenance' : 'signature'} is invalid`,
    ),
    ...missing.map((one) => `${nameOf(one)}: has no signature`),
  ];
  if (faults.length > 0) return { state: 'faults', lines: faults };
  const provenance = verified.map(nameOf).sort();
  return {
    state: 'clean',
    lines: [`every signature holds; provenance of ${provenance.length}: ${provenance.join(' ')}`],
  };
}

function nameOf({ name, version }: Signed): string {
  return `${name}@${version}`;
}

function skipped(what: string, reason = 'no answer'): Judgement {
  const [line = ''] = reason.split('\n');
  return {
    state: 'skipped',
    lines: [`SKIPPED: the registry of this machine says nothing of ${what} (${line.slice(0, 100)})`],
  };
}

/** npm says nothing at all, or no JSON, where it fails. */
function parsed<Answer extends object>(text: string): Partial<Answer> {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}
