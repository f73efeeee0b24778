// Every limit on the cost of one request to the directory.

export const LIMITS = {
  /** Resources of a page: without `_count`, and at most. */
  defaultCount: 50,
  largestCount: 200,
  /** Bytes of the query string as sent (414), and of the form of a search by POST (413). */
  queryBytes: 4096,
  formBytes: 16_384,
  /** Entries of a batch, and bytes of it (413). */
  batchEntries: 50,
  batchBytes: 262_144,
  /** Entries of one batch that are answered at the same time. Their searches take the turns of their client. */
  batchEntriesAtOnce: 4,
  /** Characters of the resources in the response to a batch. 50 pages of 50 resources have some 4 million. */
  batchResponse: 8_000_000,
  /** Batches of one client that a process answers at the same time, 50 MB each at most, and batches that may wait. */
  batchesAtOnce: 4,
  batchesWaiting: 100,
  /** Bytes of the understood criteria in a link, so that a link with base and page stays under 2 KB. */
  criteriaBytes: 1600,
  /** Parameters of one search. Each repetition of a name counts. */
  parameters: 40,
  /** Chains of one search. Each may follow the references of a whole type. */
  chains: 8,
  /** Values joined by `,` in one parameter. */
  alternatives: 100,
  /** Characters of one value. */
  valueLength: 256,
  /** Words of one value, and of a whole search. */
  wordsOfValue: 24,
  wordsOfSearch: 60,
  /** Circles of a whole search. */
  circlesOfSearch: 5,
  /** Resources that one page includes in addition to its matches. */
  included: 1000,
  /** Pages after the first one. A page costs the same at any depth; the limit only bounds the number that a link can claim. */
  pages: 100_000,
  /** Resources of one file of an export. They take 40 to 90 MB, some 5 compressed, so that little is lost when a download breaks off. */
  exportResources: 50_000,
  /** Files of exports that one client may download at a time from one process. */
  exportDownloads: 5,
  /** Bytes of answers that one client may leave unread in one process. The largest page has 330 kB. */
  unreadBytes: 64 * 1024 * 1024,
  /** Characters of an access token that is looked up at all. */
  tokenLength: 4096,
} as const;
