// Owns how far the clocks of clients may differ from ours (SEC-50). Does not own how long anything is good for.

/** Seconds. */
export const CLOCK_TOLERANCE = 15;
