// OnDeviceModels
