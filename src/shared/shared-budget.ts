// A budget that the members of a group share. Each member may take at most as many units as remain free for all others together, so that
// nobody has to know the number of members (dynamic thresholds of shared buffers, Choudhury and Hahne 1998).

/** Counts the units that are taken, in all and by each member. `take` is synchronous, so that two requests cannot take the same unit. */
export class SharedBudget {
  #all = 0;
  readonly #ofMembers = new Map<string, number>();

  /**
   * Takes one unit, or refuses it and counts nothing. A member may have at most as many units as remain free. So a single greedy member
   * gets half of the budget. If k members are greedy, each gets 1/(k+1), and the same share remains for newcomers.
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

  /** True if no unit is taken. */
  get unused(): boolean {
    return this.#all === 0;
  }

  #of(member = ''): number {
    return this.#ofMembers.get(member) ?? 0;
  }
}
