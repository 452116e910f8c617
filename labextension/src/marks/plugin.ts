/** The plugin that marks cells and lines of notebooks: those that were traced again, run eagerly, were unrolled or staged. */

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { EditorExtensionRegistry, IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { NotebookActions } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { followSettings } from '../settings';
import { CommandIDs, ITracefnPanel } from '../tokens';
import { CellBadges } from './badges';
import { MarkedEditors } from './editors';
import { Marks } from './follow';

/** The plugin. Its settings are its own. */
export const marksPlugin: JupyterFrontEndPlugin<void> = {
  id: '@tracefn/labextension:marks',
  description: 'Marks beside the lines and cells of notebooks that were traced again.',
  autoStart: true,
  requires: [ITracefnPanel, IEditorExtensionRegistry],
  optional: [ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    panel: ITracefnPanel,
    extensions: IEditorExtensionRegistry,
    settings: ISettingRegistry | null
  ) => {
    const editors = new MarkedEditors();
    extensions.addExtension({
      name: 'tracefn-marks',
      factory: ({ model }) =>
        'id' in model // a cell's, and no other document's
          ? EditorExtensionRegistry.createImmutableExtension(editors.extension(model))
          : null
    });
    const badges = new CellBadges(cell => {
      void app.commands.execute(CommandIDs.openPanel);
      panel.showRetracesOf(cell);
    });
    const wanted = { lines: true, cells: true };
    const marks = new Marks(panel, editors, badges, wanted);
    followSettings(settings, marksPlugin.id, loaded => {
      wanted.lines = loaded.get('lineMarks').composite !== false;
      wanted.cells = loaded.get('cellBadges').composite !== false;
      marks.refresh();
    });
    NotebookActions.executionScheduled.connect((_, { cell }) => editors.startRun(cell.model));
  }
};
