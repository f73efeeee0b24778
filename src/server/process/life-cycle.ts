// The end of the process, as its parts see it: readiness is withdrawn at once, and responses ask clients to reconnect.

export interface LifeCycle {
  /** True from the first stop signal on. */
  stopping: boolean;
}
