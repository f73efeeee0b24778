// The tolerance for all other clocks: those of clients, which put times into all that they sign, and those of other instances of the
// service.

/** Seconds by which the clocks of clients may differ from ours (SEC-50). */
export const CLOCK_TOLERANCE = 15;
