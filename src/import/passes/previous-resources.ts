// Resources of the directory that is served, for those of which the new edition does not say clearly enough what they are.

import { type IndexedResource, openSnapshot, type ResourceType, type Snapshot } from '../../search-index/index.ts';
import { type DirectoryResource, indexResource } from '../fhir/index-entries.ts';

/** @param file of its snapshot, which is opened when first asked; nothing where there is none to compare with */
export function createPreviousResources(file: string | undefined) {
  let opened: Promise<Snapshot> | undefined;
  return {
    /** The resource as it was, ready to be written again; undefined where it was not there. */
    async read(type: ResourceType, id: string): Promise<IndexedResource | undefined> {
      if (file === undefined) return undefined;
      opened ??= openSnapshot(file);
      const stored = await (await opened).read(type, id);
      if (!stored) return undefined;
      const { meta: _meta, ...resource } = JSON.parse(stored.json) as DirectoryResource;
      return indexResource(resource as DirectoryResource);
    },
    async close(): Promise<void> {
      await (await opened)?.close();
    },
  };
}
