// The one tolerance for clocks, for all that clients sign and for instances of the service.

/** Seconds by which the clocks of clients may differ from ours (SEC-50). */
export const CLOCK_TOLERANCE = 15;
