// Limits on what one request to the directory may cost.

export const LIMITS = {
  /** Number of resources on one page of a search: `defaultCount` without `_count`, and `largestCount` as the maximum of `_count`. */
  defaultCount: 50,
  largestCount: 200,
  /** Maximum bytes of the query string as sent (a longer one is refused with 414), and of the form of a search by POST (413). */
  queryBytes: 4096,
  formBytes: 16_384,
  /** Maximum number of entries in one batch, and maximum bytes of the body of a batch. A larger body is refused with 413. */
  batchEntries: 50,
  batchBytes: 262_144,
  /**
   * Number of entries of one batch that are answered at the same time. Their searches wait in the queue of the client that sent the batch.
   */
  batchEntriesAtOnce: 4,
  /**
   * Maximum characters of all resources in the response to one batch. It is twice the size of 50 pages of 50 resources, which have some 4
   * million characters.
   */
  batchResponse: 8_000_000,
  /**
   * Number of batches of one client that a process answers at the same time, and number of batches of one client that may wait. Few are
   * answered at the same time, because each takes up to 50 MB of memory while it is answered.
   */
  batchesAtOnce: 4,
  batchesWaiting: 100,
  /**
   * Maximum bytes of the search criteria that each link of a Bundle repeats. With this limit, the whole link stays under 2 KB, including
   * the base address and `_page`.
   */
  criteriaBytes: 1600,
  /** Maximum number of parameters in one search. Each repetition of a parameter is counted as well. */
  parameters: 40,
  /** Maximum number of chains in one search. The limit is low, because each chain may follow the references of all resources of a type. */
  chains: 8,
  /** Maximum number of values that are joined by `,` in one parameter. */
  alternatives: 100,
  /** Maximum characters of one value. */
  valueLength: 256,
  /** Maximum number of words in one value, and in a whole search. */
  wordsOfValue: 24,
  wordsOfSearch: 60,
  /** Maximum number of circles (values of `near`) in a whole search. */
  circlesOfSearch: 5,
  /** Maximum number of resources that one page includes in addition to its matches. */
  included: 1000,
  /**
   * The highest number of a page. A later page costs no more than the first one, so this limit only refuses links in which somebody wrote a
   * huge page number.
   */
  pages: 100_000,
  /**
   * Number of resources in one file of an export. Such a file has 40 to 90 MB, or some 5 MB compressed, so little is lost when a download
   * breaks off.
   */
  exportResources: 50_000,
  /** Maximum number of files of exports that one client may download at the same time from one process. */
  exportDownloads: 5,
  /**
   * Maximum bytes of responses that one client may leave unread in one process. This is some 200 of the largest pages, which have 330 kB
   * each.
   */
  unreadBytes: 64 * 1024 * 1024,
  /** Maximum characters of an access token. A longer token is refused without a look-up. */
  tokenLength: 4096,
} as const;
