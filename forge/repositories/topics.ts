import { invalid } from '../errors/api-error.ts';

const topicsMax = 20;

/** Topics in lower case and without repeats, or a refusal. */
export function readTopics(names: readonly string[]): string[] {
  const topics = [...new Set(names.map((name) => name.trim().toLowerCase()))];
  if (topics.length > topicsMax) {
    refuseTopics(`A repository cannot have more than ${topicsMax} topics.`);
  }
  if (topics.some((topic) => !/^[a-z0-9][a-z0-9-]{0,49}$/.test(topic))) {
    refuseTopics(
      'Topics must start with a lowercase letter or number, consist of 50 characters or less, and can include hyphens.',
    );
  }
  return topics;
}

function refuseTopics(message: string): void {
  invalid({ resource: 'Repository', field: 'topics', code: 'custom', message });
}
