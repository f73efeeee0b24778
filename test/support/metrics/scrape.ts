// What Prometheus reads of a service, taken apart into series.

export interface Series {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface Scraped {
  text: string;
  series: readonly Series[];
  /** The only series with these labels, among others; undefined where there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** Asks for the metrics; fails unless it gets them. */
export async function scrape(address: string, token?: string): Promise<Scraped> {
  const answer = await fetch(address, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
  return scraped(text);
}

export function scraped(text: string): Scraped {
  const series = text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (name === '') return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', of = '']) => [label, of] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
  return {
    text,
    series,
    value: (name, labels = {}) => {
      const found = series.filter(
        (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      );
      if (found.length > 1) throw new Error(`${found.length} series of ${name} with ${JSON.stringify(labels)}`);
      return found[0]?.value;
    },
  };
}
