// Limits on what one request to the directory may cost.

export const LIMITS = {
  /** Number of resources of a page: the default, and the maximum of `_count`. */
  defaultCount: 50,
  largestCount: 200,
  /** Maximum bytes of the query string as sent (414), and of the form of a search by POST (413). */
  queryBytes: 4096,
  formBytes: 16_384,
  /** Maximum number of entries of a batch, and maximum bytes of the batch (413). */
  batchEntries: 50,
  batchBytes: 262_144,
  /** Number of entries of one batch that are answered at the same time. In the search threads, they take the turns of their client. */
  batchEntriesAtOnce: 4,
  /** Maximum characters of the resources in the response to a batch. 50 pages of 50 resources have some 4 million. */
  batchResponse: 8_000_000,
  /**
   * Number of batches of one client that a process answers at the same time, and number of batches that may wait. Each batch takes up to 50
   * MB while it is answered.
   */
  batchesAtOnce: 4,
  batchesWaiting: 100,
  /** Maximum bytes of the understood criteria in a link, so that a link with base address and page stays under 2 KB. */
  criteriaBytes: 1600,
  /** Maximum number of parameters in one search. Each repetition of a parameter is counted. */
  parameters: 40,
  /** Maximum number of chains in one search. There are few, because each may follow the references of a whole type. */
  chains: 8,
  /** Maximum number of values that are joined by `,` in one parameter. */
  alternatives: 100,
  /** Maximum characters of one value. */
  valueLength: 256,
  /** Maximum number of words in one value, and in a whole search. */
  wordsOfValue: 24,
  wordsOfSearch: 60,
  /** Maximum number of circles in a whole search. */
  circlesOfSearch: 5,
  /** Maximum number of resources that one page includes in addition to its matches. */
  included: 1000,
  /**
   * Maximum number of pages after the first one. A page costs the same at any depth, so this only limits the number that a link can claim.
   */
  pages: 100_000,
  /**
   * Number of resources in one file of an export. They take 40 to 90 MB, and some 5 MB compressed, so little is lost when a download breaks
   * off.
   */
  exportResources: 50_000,
  /** Number of files of exports that one client may download at the same time from one process. */
  exportDownloads: 5,
  /** Maximum bytes of responses that one client may leave unread in one process. The largest page has 330 kB. */
  unreadBytes: 64 * 1024 * 1024,
  /** Maximum characters of an access token. Longer ones are refused without a look-up. */
  tokenLength: 4096,
} as const;
