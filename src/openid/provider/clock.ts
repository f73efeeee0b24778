// How far the clocks of clients may differ from ours (SEC-50).

/** Seconds. */
export const CLOCK_TOLERANCE = 15;
