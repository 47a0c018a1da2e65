/** Users whom one text notifies by mentioning them; further mentions notify no one. */
const mentionsMax = 50;

const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const mention = /(?<![\w/@.#-])@([a-z\d][a-z\d-]{0,38})(?![\w/-])/gi;

/** The logins of the users that a Markdown text mentions, in lower case; those in code, and teams, are none. */
export function mentionsIn(text: string): string[] {
  if (!text.includes('@')) return [];
  const logins = new Set<string>();
  for (const [, login = ''] of text.replaceAll(code, ' ').matchAll(mention)) {
    logins.add(login.toLowerCase());
    if (logins.size === mentionsMax) break;
  }
  return [...logins];
}
