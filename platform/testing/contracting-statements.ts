import { type Migration, migrationStatements } from '../database/migration-files.ts';

/**
 * Statements of a migration after which servers of the last version, which go on in a cluster while it is upgraded, would fail: they read or write
 * what is no longer there, or leave out what must now be set. An index may go.
 */
export function contractingStatements(migration: Migration): readonly string[] {
  return migrationStatements(migration, 'postgres').filter((statement) => {
    const words = statement.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/\s+/g, ' ');
    if (/^drop (?!index )/i.test(words)) return true;
    if (!/^alter /i.test(words)) return false;
    if (/ (?:drop column|rename|set not null) /i.test(`${words} `)) return true;
    return / add /i.test(words) && / not null\b/i.test(words) && !/ default /i.test(words);
  });
}
