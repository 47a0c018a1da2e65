import assert from 'node:assert/strict';

import type { BrowserContext, Locator, Page } from 'playwright-core';

/** More stops of the Tab key than any page of a life has. */
const stopsMax = 400;
const optionsMax = 100;

/** One who uses pages by the mouse, or by nothing but the keyboard. */
export class Person {
  readonly page: Page;
  readonly #by: 'mouse' | 'keyboard';
  readonly #url: string;

  constructor(page: Page, by: 'mouse' | 'keyboard', url: string) {
    this.page = page;
    this.#by = by;
    this.#url = url;
  }

  static async signedIn(
    context: BrowserContext,
    by: 'mouse' | 'keyboard',
    { url, login, password }: { readonly url: string; login: string; password: string },
  ): Promise<Person> {
    const person = new Person(await context.newPage(), by, url);
    await person.open('/login');
    await person.type('Login or e-mail address', login);
    await person.type('Password', password);
    await person.press('Sign in');
    return person;
  }

  /** The same person in another tab. */
  async anotherTab(): Promise<Person> {
    return new Person(await this.page.context().newPage(), this.#by, this.#url);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.#url).href, { waitUntil: 'load' });
  }

  async type(label: string, text: string): Promise<void> {
    const { keyboard } = this.page;
    await this.#enter(this.#field(label));
    await keyboard.press('Control+A');
    if (text === '') await keyboard.press('Delete');
    else await keyboard.type(text);
  }

  async choose(label: string, option: string): Promise<void> {
    const select = this.#field(label);
    if (this.#by === 'mouse') {
      await select.selectOption({ label: option });
      return;
    }
    await this.#reach(select);
    await this.page.keyboard.press('Home');
    for (let step = 0; step < optionsMax; step += 1) {
      const present = await select.locator('option:checked').textContent();
      if (present?.trim() === option) return;
      await this.page.keyboard.press('ArrowDown');
    }
    assert.fail(`${label} has no option ${option}`);
  }

  async attach(label: string, name: string, content: Uint8Array): Promise<void> {
    const field = this.#field(label);
    const chooser = this.page.waitForEvent('filechooser');
    await this.#activate(field, 'Space');
    const file = { name, mimeType: 'application/zip', buffer: Buffer.from(content) };
    await (await chooser).setFiles(file);
  }

  /** Sends a form. */
  press(button: string): Promise<void> {
    return this.#go(this.page.getByRole('button', { name: button, exact: true }));
  }

  follow(link: string): Promise<void> {
    return this.#go(this.page.getByRole('link', { name: link, exact: true }));
  }

  followAt(selector: string): Promise<void> {
    return this.#go(this.page.locator(selector).last());
  }

  /** Waits until the page shows it; some pages renew themselves. */
  async sees(text: string): Promise<void> {
    const main = this.page.locator('main');
    try {
      await main.filter({ hasText: text }).waitFor();
    } catch (error) {
      const shown = await main.innerText();
      throw new Error(`${this.page.url()} does not show ${text}:\n${shown}`, {
        cause: error,
      });
    }
  }

  async seesNot(text: string): Promise<void> {
    assert.equal(await this.page.locator('main', { hasText: text }).count(), 0, text);
  }

  #field(label: string): Locator {
    const start = label.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return this.page.getByLabel(new RegExp(String.raw`^\s*${start}`)).first();
  }

  async #enter(field: Locator): Promise<void> {
    if (this.#by === 'mouse') await field.click();
    else await this.#reach(field);
  }

  async #go(target: Locator): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await Promise.all([loaded, this.#activate(target, 'Enter')]);
  }

  async #activate(target: Locator, key: 'Enter' | 'Space'): Promise<void> {
    if (this.#by === 'mouse') return target.click();
    await this.#reach(target);
    return this.page.keyboard.press(key);
  }

  /** By the Tab key alone, from where the focus is. */
  async #reach(target: Locator): Promise<void> {
    await target.waitFor();
    const focused = target.and(this.page.locator(':focus'));
    for (let stop = 0; stop < stopsMax; stop += 1) {
      if ((await focused.count()) === 1) return;
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`the Tab key does not reach ${String(target)} of ${this.page.url()}`);
  }
}
