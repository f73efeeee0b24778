// The tolerance for all other clocks: those of clients, which put times into all that they sign, and those of other instances of the
// service.

/** Maximum difference in seconds between the clocks of clients and ours (SEC-50). */
export const CLOCK_TOLERANCE = 15;
