// A budget that the members of a group share. However much one takes, as much again remains for the others. The number of members need not
// be known (dynamic thresholds of shared buffers, Choudhury and Hahne 1998).

/** Counts the taken units, in all and by member. Nothing is awaited between check and count, so that requests cannot race. */
export class SharedBudget {
  #all = 0;
  readonly #ofMembers = new Map<string, number>();

  /**
   * Takes one unit, or refuses and counts nothing. A member may have as much as then remains for all others. So one greedy member has half,
   * k of them 1/(k+1) each, and as much remains for newcomers.
   * @param member undefined: without a share, the whole budget
   * @returns the limit that refused it
   */
  take(budget: number, member?: string): 'budget' | 'share' | undefined {
    if (this.#all + 1 > budget) return 'budget';
    const own = this.#of(member);
    if (own > 0 && own + 1 > budget - this.#all) return 'share';
    this.#all += 1;
    if (member !== undefined) this.#ofMembers.set(member, own + 1);
    return undefined;
  }

  giveBack(member?: string): void {
    this.#all -= 1;
    const own = this.#of(member) - 1;
    if (member === undefined) return;
    if (own > 0) this.#ofMembers.set(member, own);
    else this.#ofMembers.delete(member);
  }

  /** True if nothing is taken. */
  get unused(): boolean {
    return this.#all === 0;
  }

  #of(member = ''): number {
    return this.#ofMembers.get(member) ?? 0;
  }
}
