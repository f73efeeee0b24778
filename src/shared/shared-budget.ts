// A budget that the members of a group share. Each member may have at most as much as remains for all others together. The number of
// members need not be known (dynamic thresholds of shared buffers, Choudhury and Hahne 1998).

/** Counts the taken units, in all and by member. It awaits nothing between check and count, so that requests cannot race. */
export class SharedBudget {
  #all = 0;
  readonly #ofMembers = new Map<string, number>();

  /**
   * Takes one unit, or refuses it and counts nothing. A member may have at most as much as remains for all others. So one greedy member has
   * half of the budget. If k members are greedy, each has 1/(k+1), and as much remains for newcomers.
   * @param member undefined if no share limits the request, only the whole budget
   * @returns the limit that refused the unit; undefined if it was taken
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
