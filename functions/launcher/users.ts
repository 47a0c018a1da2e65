/** No distribution gives numbers from here on to anybody (systemd's "UIDS-GIDS"). */
export const firstUser = 1_900_000_000;
const usersMax = 100_000;

/** A user for each place; a number comes back only after all others had their turn. */
export function userNumbers(): () => number {
  let taken = 0;
  return () => {
    taken = (taken % usersMax) + 1;
    return firstUser + taken;
  };
}
