/** What tests of clients hold back on a server that they control; no other server has it. */
export interface ForgeHolds {
  /** True: the test merge of the pull waits, and `resume` is called when it may be tried again. */
  holdsMergeability(repositoryId: number, pullId: number, resume: () => void): boolean;
  /** True: no delivery begins, and `resume` is called when they may again. */
  holdsDeliveries(resume: () => void): boolean;
}
