// The dialogs about devices, as the URL names them: `?dialog=edit&device=…`. On a device's own page it leaves the id out.
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';

export type DialogName = 'add' | 'add-this-machine' | 'edit' | 'locate' | 'delete' | 'new-key' | 'update-agent';
export type DeviceDialog = Dialog<DialogName>;

export const useDeviceDialog = (): DeviceDialog => useDialog<DialogName>('device');
