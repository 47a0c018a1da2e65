/** What is used of highlight.js. Its own types would bring those of browsers into the whole program (tsconfig.json). */
declare const highlighter: {
  getLanguage(name: string): object | undefined;
  highlight(
    text: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
};
// oxlint-disable-next-line import/no-default-export -- as in the package
export default highlighter;
