/**
 * The git process's exit status that tells its parent not to start it again (reliability rule D3).
 */
export const notDurableStatus = 70;
