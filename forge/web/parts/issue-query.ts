import { type IssueFilter, readIssueFilter } from '../../issues/issue-filter.ts';

/** What a query selects, and what of it is not understood. */
export interface IssueQuery {
  readonly filter: IssueFilter;
  readonly problem: string | undefined;
}

/** Reads `is:open label:"good first" author:ada` on the page of issues or of pulls, which links may name as well. */
export function readIssueQuery(text: string, kind: 'issue' | 'pr'): IssueQuery {
  const parameters = new URLSearchParams({ state: 'all' });
  const labels: string[] = [];
  const unknown: string[] = [];
  for (const [term, name = '', quoted, plain = ''] of text.matchAll(
    /(?:(\w+):)?(?:"([^"]*)"|(\S+))/g,
  )) {
    const value = quoted ?? plain;
    if (name === 'is' && /^(?:open|closed|all)$/.test(value)) parameters.set('state', value);
    else if (name === 'is' && value === kind) continue;
    else if (name === 'label') labels.push(value);
    else if (name === 'author') parameters.set('creator', value);
    else if (name === 'assignee') parameters.set('assignee', value);
    else if (name === 'milestone' && /^(?:\d{1,15}|none|\*)$/.test(value)) {
      parameters.set('milestone', value);
    } else unknown.push(term);
  }
  return {
    // The parameter of the API separates labels by commas, which are in names of some.
    filter: { ...readIssueFilter(parameters), labels: labels.filter((label) => label !== '') },
    problem:
      unknown.length === 0
        ? undefined
        : `The filter does not know ${unknown.map((term) => `“${term}”`).join(', ')}.`,
  };
}
