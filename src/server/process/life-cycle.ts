// What the parts of a process know of its end: readiness is taken back at once, and answers ask clients to connect anew.

export interface LifeCycle {
  /** True from the first stop signal on. */
  stopping: boolean;
}
