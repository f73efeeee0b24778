// Makes the reference page's data and the OpenAPI description once for each edition, with examples from that edition.

import { type EditionOptions, examplesIn } from '#directory/metadata/edition-examples.ts';
import { type OpenapiOptions, openapiDocument } from '#directory/metadata/openapi/document.ts';
import { EXAMPLES, type Examples } from '#directory/metadata/parameter-examples.ts';
import { type Snapshots, stateOf } from '#directory/resolve-snapshot.ts';
import { describeDirectory, type EditionFigures, type ReferenceDirectory } from './reference-data.ts';

type Made = { directory: ReferenceDirectory; openapi: string };

interface DescriptionsOptions extends Omit<EditionOptions, 'created'>, Omit<OpenapiOptions, 'base' | 'examples'> {
  /** What the page for people shows beside the data of `describeDirectory`. */
  addresses: Omit<ReferenceDirectory, keyof ReturnType<typeof describeDirectory>>;
  snapshots: Pick<Snapshots, 'current' | 'createdAt'>;
  /** The number of resources of a snapshot that have each element. The import counts them; undefined if the import was too old to count. */
  filled(snapshot: string): Promise<EditionFigures['filled'] | undefined>;
  log: { warn(about: object, message: string): void };
}

/** Makes a function that returns the descriptions. They are made again when the edition, or a correction of it, changes. */
export function createDescriptions(options: DescriptionsOptions): () => Promise<Made> {
  const { snapshots, log } = options;
  let latest: { state: string | undefined; made: Promise<Made> } | undefined;

  async function examples(): Promise<Examples> {
    const snapshot = snapshots.current();
    if (!snapshot) return EXAMPLES;
    try {
      return await examplesIn(snapshot, { ...options, created: snapshots.createdAt?.(snapshot.id) });
    } catch (error) {
      // The page is shown even without examples from the edition.
      log.warn({ err: error, snapshot: snapshot.id }, 'no examples found in the edition: the fixed ones are shown');
      return EXAMPLES;
    }
  }

  async function figures(): Promise<EditionFigures | undefined> {
    const snapshot = snapshots.current();
    const filled = snapshot && (await options.filled(snapshot.id).catch(() => undefined));
    return snapshot && filled && { counts: await snapshot.counts(), filled };
  }

  async function make(): Promise<Made> {
    const found = await examples();
    return {
      directory: { ...describeDirectory(found, await figures()), ...options.addresses },
      openapi: JSON.stringify(openapiDocument({ ...options, examples: found })),
    };
  }

  return () => {
    const snapshot = snapshots.current();
    const state = snapshot && stateOf(snapshot);
    if (!latest || latest.state !== state) latest = { state, made: make() };
    return latest.made;
  };
}
