/** Which signature is shown: the newest trace, or the one that the user chose, by its name. */

import { findByName, isCurrent, nameOf, newestOf, newestSignature, SignatureName } from './select';
import { Signature, State } from './state';

/**
* Follows a state. The choice stays by its name: beyond a restart, and from one definition of the function to the next
 * when its cell runs again, but not away from an old definition that was chosen as such. While it is not there, after a restart
 * or in a new definition, the newest trace stands in for it; that does not make it the chosen one.
 */
export class Selection {
  /** The id of the signature shown. */
  get shown(): string | null {
    return this._shown;
  }

  /** The name of the choice; null while the newest trace is followed. */
  get chosen(): SignatureName | null {
    return this._chosen;
  }

  /** Whether the chosen signature has not been traced (again) so far. */
  get missing(): boolean {
    return this._chosen !== null && this._missing;
  }

  /** Take in the changes. */
  follow(state: State): void {
    const { _chosen: chosen } = this;
    if (chosen === null) {
      this._show(state, newestSignature(state));
      return;
    }
    const now = state.signatures.get(this._shown ?? '');
    const isChosen = now !== undefined && isSame(nameOf(state, now), chosen);
    if (isChosen && (isCurrent(state, now) || !this._wasCurrent)) {
      return;
    }
    const found = findByName(state, chosen);
    const newest = newestOf(state, chosen.functionKey);
    const isOld = found !== null && newest !== null && !isCurrent(state, found) && isCurrent(state, newest);
    this._missing = found === null || isOld;
    this._show(state, isOld ? newest : (found ?? newest ?? newestSignature(state)));
  }

  /** The user chose a signature. */
  choose(state: State, signature: Signature): SignatureName {
    this._chosen = nameOf(state, signature);
    this._missing = false;
    this._show(state, signature);
    return this._chosen;
  }

  /** Choose by name, as soon as that is there; null follows the newest trace. */
  restore(name: SignatureName | null): void {
    this._chosen = name;
    this._missing = name !== null;
    this._shown = null;
  }

  private _show(state: State, signature: Signature | null): void {
    if (signature?.id !== this._shown || signature === null) {
      this._shown = signature?.id ?? null;
      this._wasCurrent = signature === null || isCurrent(state, signature);
    }
  }

  private _chosen: SignatureName | null = null;
  private _shown: string | null = null;
  private _missing = false;
  private _wasCurrent = true;
}

function isSame(one: SignatureName, other: SignatureName): boolean {
  return one.functionKey === other.functionKey && one.signatureHash === other.signatureHash;
}
