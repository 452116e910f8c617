/** The settings of a plugin, as they are and whenever they change. */

import { ISettingRegistry } from '@jupyterlab/settingregistry';

/** Call `read` with the settings of a plugin, now and after each change. Without a registry the defaults hold. */
export function followSettings(
  settings: ISettingRegistry | null,
  plugin: string,
  read: (loaded: ISettingRegistry.ISettings) => void
): void {
  settings
    ?.load(plugin)
    .then(loaded => {
      read(loaded);
      loaded.changed.connect(read);
    })
    .catch(error => console.error('tracefn: the settings could not be read', error));
}
